// Recurrent layers over sentences of different lengths, with per-sentence recurrent masks: one
// interface for all kinds of cells.
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

/// The weights of one direction; G rows are the gates' units, in torch's order.
struct RecurrentWeights {
  at::Tensor weight_ih;  ///< [G, I]
  at::Tensor weight_hh;  ///< [G, H]
  at::Tensor bias_ih;    ///< [G]
  at::Tensor bias_hh;    ///< [G]
};

/// What a layer carries from step to step, a row for each sentence.
struct RecurrentState {
  at::Tensor h{};  ///< [B, H]
  at::Tensor c{};  ///< [B, H], the cell state; undefined where the cell has none

  /// Row i becomes what row index[i] was; `index` ([M] int64) may repeat rows.
  void select_rows(const at::Tensor& index);
};

/// What may be added to a layer; every tensor may be left undefined.
struct RecurrentExtras {
  /// [B, G], added to the input projection of every step: the latent's part of the input, computed
  /// once per sentence.
  at::Tensor sentence_bias{};
  /// [B, H], multiplies h_{t-1} in the recurrent product from the second step on (Gal and
  /// Ghahramani 2016). A constant.
  at::Tensor mask_h{};
  /// [B, H], multiplies c_{t-1} from the second step on; for cells that have one. A constant.
  at::Tensor mask_c{};
  /// The masks act on the initial state as well.
  bool mask_initial_state = false;
  /// Each sentence is read from its own last token to its first.
  bool reverse = false;
};

struct RecurrentResult {
  at::Tensor outputs;    ///< [B, T, H], zeros at padding
  RecurrentState state;  ///< after each sentence's own last step; the initial one for length 0
};

/// The input's part of the gates for every packed token of a batch.
struct GateInputs {
  at::Tensor rows;             ///< [R, G], with gradient
  std::vector<int64_t> place;  ///< [N]: row of each packed token; empty: its own, R = N
  PackPlan plan;
  int64_t time = 0;  ///< T of the padded batch
};

/// One layer and direction, float32 or float64. Input projections are one matrix product over all
/// time steps. It is no module: its parameters are registered in the module that it was built for.
class RecurrentLayer {
 public:
  virtual ~RecurrentLayer() = default;

  /// Runs `input` [B, T, I]. `lengths` is [B] int64 (undefined: all T); what is undefined in
  /// `initial` is zero.
  RecurrentResult forward(const at::Tensor& input, const at::Tensor& lengths,
                          const RecurrentState& initial = {},
                          const RecurrentExtras& extras = {}) const;
  /// forward() of the word vectors table[ids], where `ids` is [B, T] int64 and `table` [V, I]. On
  /// the CPU (ids too) every distinct word's part of the gates is computed once.
  RecurrentResult forward_words(const at::Tensor& ids, const at::Tensor& table,
                                const at::Tensor& lengths, const RecurrentState& initial = {},
                                const RecurrentExtras& extras = {}) const;
  /// One step for decoding, no gradient: overwrites `state`, whose tensors are contiguous, by the
  /// next one. Sentence b reads row place[b] of `input` [U, I] (`place` empty: row b);
  /// `sentence_bias` [B, G] is added to its gates, or undefined.
  void step(const at::Tensor& input, const std::vector<int64_t>& place,
            const at::Tensor& sentence_bias, RecurrentState& state) const;

  /// Whether the state has a cell state c besides h.
  virtual bool has_cell() const = 0;
  const RecurrentWeights& weights() const { return weights_; }
  int64_t hidden() const { return weights_.weight_hh.size(1); }
  int64_t gates() const { return weights_.weight_hh.size(0); }
  /// The state of `rows` sentences before anything is read: zeros.
  RecurrentState zero_state(int64_t rows) const;

 protected:
  explicit RecurrentLayer(RecurrentWeights weights) : weights_(std::move(weights)) {}
  /// forward() up to the recurrence: the plan of the batch and the input's projection.
  GateInputs gate_inputs(const at::Tensor& input, const at::Tensor& lengths, bool reverse) const;
  /// [..., I] -> [..., G]: the input's part of the gates.
  virtual at::Tensor project(const at::Tensor& input) const = 0;
  /// The recurrence over all steps.
  virtual RecurrentResult run(const GateInputs& inputs, const RecurrentState& initial,
                              const RecurrentExtras& extras) const = 0;
  /// step() after the input's projection.
  virtual void advance(const at::Tensor& projected, const std::vector<int64_t>& place,
                       const at::Tensor& sentence_bias, RecurrentState& state) const = 0;

 private:
  RecurrentWeights weights_;
};

/// The parameters of one direction, named as torch names them (weight_ih_l0, ..., with `suffix`)
/// in the scope's module: weights and biases U(-1/sqrt(H), 1/sqrt(H)), or U(-bound, bound) for
/// bound >= 0. `gates` is G / H.
RecurrentWeights recurrent_weights(const ModuleScope& scope, int64_t gates, int64_t input,
                                   int64_t hidden, double bound, const std::string& suffix = "");

/// What a recurrent layer is built from.
struct RecurrentLayout {
  CellType cell = CellType::kLstm;
  int64_t input = 0, hidden = 0;
  double forget_bias = 0;  ///< added to the initial bias of an LSTM's forget gate
  double bound = -1;       ///< as in recurrent_weights()
};

/// A layer whose parameters are in the new module "lstm" or "gru".
std::unique_ptr<RecurrentLayer> make_recurrent_layer(const ModuleScope& scope,
                                                     const RecurrentLayout& layout);

/// What sentences are read with: one layer, or one for each direction.
class RecurrentEncoder {
 public:
  /// `reverse` reads from each sentence's end; null: one direction alone.
  RecurrentEncoder(std::unique_ptr<RecurrentLayer> forward,
                   std::unique_ptr<RecurrentLayer> reverse);
  /// Width S: H, or 2H with two directions.
  int64_t width() const;
  /// [B, S]: each direction's last h, side by side, for the word vectors table[ids] as in
  /// RecurrentLayer::forward_words().
  at::Tensor final_states(const at::Tensor& ids, const at::Tensor& table,
                          const at::Tensor& lengths) const;
  /// [B, T, I] -> [B, T, S]: the directions' outputs side by side, zeros at padding.
  at::Tensor outputs(const at::Tensor& input, const at::Tensor& lengths) const;

 private:
  std::unique_ptr<RecurrentLayer> forward_, reverse_;
};

/// An encoder whose parameters are in the new module "lstm" (the second direction's with torch's
/// suffix "_reverse"), or in "gru" and "gru_reverse".
RecurrentEncoder make_recurrent_encoder(const ModuleScope& scope, const RecurrentLayout& layout,
                                        bool bidirectional);

}  // namespace lvtext
