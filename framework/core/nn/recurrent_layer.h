// Recurrent layers for sentences of different lengths, with per-sentence recurrent masks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/packing.h"
#include "framework/core/options/options.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

enum class CellType { kLstm, kGru };
const std::vector<EnumName<CellType>>& enum_names(CellType);

/// Weights of one direction, as in PyTorch: G = 4H for an LSTM (gates i, f, g, o), 3H for a GRU (r,
/// z, n).
struct RecurrentWeights {
  at::Tensor weight_ih;  ///< [G, I]
  at::Tensor weight_hh;  ///< [G, H]
  at::Tensor bias_ih;    ///< [G]
  at::Tensor bias_hh;    ///< [G]; may be undefined for a GRU, see Gru
};

/// Recurrent state of a layer, one row per sentence.
struct RecurrentState {
  at::Tensor h{};  ///< [B, H]
  at::Tensor c{};  ///< [B, H], the cell state; undefined for cells without one

  /// Replaces row i by the former row index[i]; `index` ([M] int64) may repeat rows.
  void select_rows(const at::Tensor& index);
};

/// Optional inputs of a layer; every tensor may be undefined.
struct RecurrentExtras {
  /// [B, G], added to the input projection of every step: the contribution of z, computed once per
  /// sentence.
  at::Tensor sentence_bias{};
  /// [B, H], multiplies h_{t-1} in the recurrent product, starting from the second step (Gal and
  /// Ghahramani 2016). A constant.
  at::Tensor mask_h{};
  /// [B, H], multiplies c_{t-1}, starting from the second step; for cells with a cell state. A
  /// constant.
  at::Tensor mask_c{};
  /// Whether the masks are applied to the initial state as well.
  bool mask_initial_state = false;
  /// Whether sentences are processed from their last token to their first.
  bool reverse = false;
};

struct RecurrentResult {
  at::Tensor outputs;    ///< [B, T, H], zeros at padding
  RecurrentState state;  ///< after each sentence's last step; the initial state for length 0
};

/// Input projections of the gates for the packed tokens of a batch.
struct GateInputs {
  at::Tensor rows;             ///< [R, G], with gradient
  std::vector<int64_t> index;  ///< [N]: row of each packed token; empty: row n for token n, R = N
  PackPlan plan;
  int64_t time = 0;  ///< T of the padded batch
};

/// One layer and direction, in float32 or float64. Input projections are one matrix product over
/// all time steps. This is not a module: its parameters are registered in the module of the scope.
class RecurrentLayer {
 public:
  virtual ~RecurrentLayer() = default;

  /// Processes `input` [B, T, I]. `lengths` is [B] int64 (undefined: all T); undefined tensors in
  /// `initial` are zeros.
  RecurrentResult forward(const at::Tensor& input, const at::Tensor& lengths,
                          const RecurrentState& initial = {},
                          const RecurrentExtras& extras = {}) const;
  /// forward() of the word vectors table[ids], where `ids` is [B, T] int64 and `table` [V, I]. On
  /// the CPU (including ids) the input projection is computed once per distinct word.
  RecurrentResult forward_words(const at::Tensor& ids, const at::Tensor& table,
                                const at::Tensor& lengths, const RecurrentState& initial = {},
                                const RecurrentExtras& extras = {}) const;
  /// One decoding step without gradient: replaces `state`, whose tensors must be contiguous, by the
  /// next state. The input of sentence b is row index[b] of `input` [U, I]; if `index` is empty,
  /// row b, and U = B. `sentence_bias` [B, G] is added to the gates; may be undefined.
  void step(const at::Tensor& input, const std::vector<int64_t>& index,
            const at::Tensor& sentence_bias, RecurrentState& state) const;

  /// Whether the state has a cell state c besides h.
  virtual bool has_cell() const = 0;
  const RecurrentWeights& weights() const { return weights_; }
  int64_t hidden() const { return weights_.weight_hh.size(1); }
  int64_t gates() const { return weights_.weight_hh.size(0); }
  /// Initial state of `rows` sentences: zeros.
  RecurrentState zero_state(int64_t rows) const;

 protected:
  explicit RecurrentLayer(RecurrentWeights weights) : weights_(std::move(weights)) {}
  /// First part of forward(): the plan of the batch and the input projection.
  GateInputs gate_inputs(const at::Tensor& input, const at::Tensor& lengths, bool reverse) const;
  /// [..., I] -> [..., G]: the input projection of the gates.
  virtual at::Tensor project(const at::Tensor& input) const = 0;
  /// The recurrence over all steps.
  virtual RecurrentResult run(const GateInputs& inputs, const RecurrentState& initial,
                              const RecurrentExtras& extras) const = 0;
  /// step() after the input projection.
  virtual void advance(const at::Tensor& projected, const std::vector<int64_t>& index,
                       const at::Tensor& sentence_bias, RecurrentState& state) const = 0;

 private:
  RecurrentWeights weights_;
};

/// Adds the parameters of one direction to the scope's module, with PyTorch's names (weight_ih_l0,
/// ..., plus `suffix`). Weights and biases are U(-1/sqrt(H), 1/sqrt(H)), or U(-bound, bound) if
/// bound >= 0. `gates` is G / H.
RecurrentWeights recurrent_weights(const ModuleScope& scope, int64_t gates, int64_t input,
                                   int64_t hidden, double bound, const std::string& suffix = "");

/// Configuration of a recurrent layer.
struct RecurrentLayout {
  CellType cell = CellType::kLstm;
  int64_t input = 0, hidden = 0;
  double forget_bias = 0;  ///< added to the initial bias of an LSTM's forget gate
  double bound = -1;       ///< as in recurrent_weights()
};

/// Makes a layer whose parameters are in the new module "lstm" or "gru".
std::unique_ptr<RecurrentLayer> make_recurrent_layer(const ModuleScope& scope,
                                                     const RecurrentLayout& layout);

/// Recurrent encoder with one layer, or with one layer per direction.
class RecurrentEncoder {
 public:
  /// `reverse` processes sentences from their end; null: unidirectional.
  RecurrentEncoder(std::unique_ptr<RecurrentLayer> forward,
                   std::unique_ptr<RecurrentLayer> reverse);
  /// Width S: H, or 2H if bidirectional.
  int64_t width() const;
  /// [B, S]: the final h of both directions, concatenated, for the word vectors table[ids] as in
  /// RecurrentLayer::forward_words().
  at::Tensor final_states(const at::Tensor& ids, const at::Tensor& table,
                          const at::Tensor& lengths) const;
  /// [B, T, I] -> [B, T, S]: the outputs of both directions, concatenated; zeros at padding.
  at::Tensor outputs(const at::Tensor& input, const at::Tensor& lengths) const;

 private:
  std::unique_ptr<RecurrentLayer> forward_, reverse_;
};

/// Makes an encoder whose parameters are in the new module "lstm" (those of the reverse direction
/// with PyTorch's suffix "_reverse"), or in "gru" and "gru_reverse".
RecurrentEncoder make_recurrent_encoder(const ModuleScope& scope, const RecurrentLayout& layout,
                                        bool bidirectional);

}  // namespace lvtext
