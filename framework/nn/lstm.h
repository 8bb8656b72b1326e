// A one-layer LSTM over sentences of different lengths, with per-sentence recurrent masks.
#pragma once

#include "framework/nn/init.h"
#include "framework/tensor/torch.h"

namespace lvtext {

/// Gate order i, f, g, o, as torch::nn::LSTM.
struct LstmWeights {
  at::Tensor weight_ih;  ///< [4H, I]
  at::Tensor weight_hh;  ///< [4H, H]
  at::Tensor bias_ih;    ///< [4H]
  at::Tensor bias_hh;    ///< [4H]
};

/// What may be added to an LSTM; every tensor may be left undefined.
struct LstmExtras {
  /// [B, 4H], added to the input projection of every step: the latent's part of the input, computed
  /// once per sentence.
  at::Tensor sentence_bias{};
  /// [B, H], multiplies h_{t-1} from the second step on (Gal and Ghahramani 2016). A constant.
  at::Tensor mask_h{};
  /// [B, H], multiplies c_{t-1} from the second step on. A constant.
  at::Tensor mask_c{};
  /// The masks act on the initial state as well.
  bool mask_initial_state = false;
  /// Each sentence is read from its own last token to its first.
  bool reverse = false;
};

struct LstmResult {
  at::Tensor outputs;  ///< [B, T, H], zeros at padding
  at::Tensor h;        ///< [B, H] after each sentence's own last step; h0 for length 0
  at::Tensor c;        ///< [B, H]
};

/// Runs `input` [B, T, I] through the LSTM. `lengths` is [B] int64 (undefined: all T); `h0`, `c0`
/// are [B, H] (undefined: zeros). float32 and float64. On the CPU a fused operation whose own
/// backward refuses create_graph; elsewhere lstm_composed().
LstmResult lstm(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                const at::Tensor& c0, const LstmWeights& weights, const LstmExtras& extras = {});

/// lstm() of the word vectors table[ids], where `ids` is [B, T] int64 and `table` [V, I]. On the
/// CPU (ids too) every distinct word's part of the gates is computed once.
LstmResult lstm_words(const at::Tensor& ids, const at::Tensor& table, const at::Tensor& lengths,
                      const at::Tensor& h0, const at::Tensor& c0, const LstmWeights& weights,
                      const LstmExtras& extras = {});

/// The same function as lstm() written in LibTorch's own operations: any device, any number of
/// derivatives.
LstmResult lstm_composed(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                         const at::Tensor& c0, const LstmWeights& weights,
                         const LstmExtras& extras = {});

/// [..., I] -> [..., 4H]: the input's part of the gates, both biases included.
at::Tensor lstm_project(const at::Tensor& input, const LstmWeights& weights);

/// One step for decoding, no gradient: overwrites h and c ([B, H], contiguous) by the next state.
/// Sentence b's input is row place[b] of `projected` [U, 4H], an lstm_project() (`place` empty: row
/// b); `sentence_bias` [B, 4H] is added to it, or undefined.
void lstm_cell(const at::Tensor& projected, const std::vector<int64_t>& place,
               const at::Tensor& sentence_bias, at::Tensor& h, at::Tensor& c,
               const LstmWeights& weights);

/// The parameters of one direction, named as torch::nn::LSTM names them.
class Lstm : public torch::nn::Module {
 public:
  /// Weights and biases U(-1/sqrt(H), 1/sqrt(H)), or U(-bound, bound) for bound >= 0; `forget_bias`
  /// is added to the forget gate's bias.
  Lstm(const Init& init, int64_t input, int64_t hidden, double forget_bias = 0, double bound = -1);
  const LstmWeights& weights() const { return weights_; }
  int64_t hidden() const { return weights_.weight_hh.size(1); }
  /// lstm() and lstm_words() with these weights.
  LstmResult forward(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0 = {},
                     const at::Tensor& c0 = {}, const LstmExtras& extras = {}) const;
  LstmResult forward_words(const at::Tensor& ids, const at::Tensor& table,
                           const at::Tensor& lengths, const at::Tensor& h0 = {},
                           const at::Tensor& c0 = {}, const LstmExtras& extras = {}) const;

 private:
  LstmWeights weights_;
};

/// An encoder that reads every sentence in both directions; parameters *_l0 and *_l0_reverse.
class BidirectionalLstm : public torch::nn::Module {
 public:
  BidirectionalLstm(const Init& init, int64_t input, int64_t hidden, double forget_bias = 0,
                    double bound = -1);
  /// [B, 2H]: the last h of the forward direction beside the last h of the reverse one, for the
  /// word vectors table[ids] as in lstm_words().
  at::Tensor final_states(const at::Tensor& ids, const at::Tensor& table,
                          const at::Tensor& lengths) const;
  /// [B, T, 2H]: both directions' outputs side by side, zeros at padding.
  at::Tensor outputs(const at::Tensor& input, const at::Tensor& lengths) const;

 private:
  LstmWeights forward_, reverse_;
};

}  // namespace lvtext
