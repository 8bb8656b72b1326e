// A one-layer GRU over sentences of different lengths, with per-sentence recurrent masks.
#pragma once

#include "framework/nn/init.h"
#include "framework/tensor/torch.h"

namespace lvtext {

/// Gate order r, z, n, as torch::nn::GRU.
struct GruWeights {
  at::Tensor weight_ih;  ///< [3H, I]
  at::Tensor weight_hh;  ///< [3H, H]
  at::Tensor bias_ih;    ///< [3H]
  at::Tensor bias_hh;    ///< [3H]
};

/// As LstmExtras; every tensor may be left undefined.
struct GruExtras {
  at::Tensor sentence_bias{};       ///< [B, 3H], added to the input projection of every step
  at::Tensor mask_h{};              ///< [B, H], multiplies h_{t-1} in the recurrent product
  bool mask_initial_state = false;  ///< the mask acts on the initial state as well
  bool reverse = false;             ///< each sentence from its own last token to its first
};

struct GruResult {
  at::Tensor outputs;  ///< [B, T, H], zeros at padding
  at::Tensor h;        ///< [B, H] after each sentence's own last step; h0 for length 0
};

/// Runs `input` [B, T, I] through the GRU; arguments as lstm(). h' = (1 - z) n + z h, where the
/// mask acts on h in the matrix product only: the carried h stays whole. Any number of derivatives.
GruResult gru(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
              const GruWeights& weights, const GruExtras& extras = {});

/// gru() of the word vectors table[ids], where `ids` is [B, T] int64 and `table` [V, I]; as
/// lstm_words().
GruResult gru_words(const at::Tensor& ids, const at::Tensor& table, const at::Tensor& lengths,
                    const at::Tensor& h0, const GruWeights& weights, const GruExtras& extras = {});

/// [..., I] -> [..., 3H]: the input's part of the gates, bias_ih included.
at::Tensor gru_project(const at::Tensor& input, const GruWeights& weights);

/// One step for decoding, no gradient: the next h from h [B, H]; `projected` [U, 3H], `place` and
/// `sentence_bias` as in lstm_cell().
at::Tensor gru_cell(const at::Tensor& projected, const std::vector<int64_t>& place,
                    const at::Tensor& sentence_bias, const at::Tensor& h,
                    const GruWeights& weights);

/// The parameters of one direction, named as torch::nn::GRU names them.
class Gru : public torch::nn::Module {
 public:
  /// Weights and biases U(-1/sqrt(H), 1/sqrt(H)), or U(-bound, bound) for bound >= 0.
  Gru(const Init& init, int64_t input, int64_t hidden, double bound = -1);
  const GruWeights& weights() const { return weights_; }
  int64_t hidden() const { return weights_.weight_hh.size(1); }
  /// gru() and gru_words() with these weights.
  GruResult forward(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0 = {},
                    const GruExtras& extras = {}) const;
  GruResult forward_words(const at::Tensor& ids, const at::Tensor& table, const at::Tensor& lengths,
                          const at::Tensor& h0 = {}, const GruExtras& extras = {}) const;

 private:
  GruWeights weights_;
};

}  // namespace lvtext
