#include "framework/core/nn/recurrent_layer.h"

#include <cmath>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/nn/distinct_words.h"
#include "framework/core/nn/gru.h"
#include "framework/core/nn/lstm.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

/// Checks the shapes of the optional inputs for `batch` sentences.
void check_rows(const RecurrentLayer& layer, int64_t batch, const RecurrentState& initial,
                const RecurrentExtras& extras) {
  const int64_t hidden = layer.hidden();
  if (initial.h.defined()) LVT_CHECK_SHAPE(initial.h, {batch, hidden});
  if (initial.c.defined()) LVT_CHECK_SHAPE(initial.c, {batch, hidden});
  if (extras.sentence_bias.defined()) LVT_CHECK_SHAPE(extras.sentence_bias, {batch, layer.gates()});
  if (extras.mask_h.defined()) LVT_CHECK_SHAPE(extras.mask_h, {batch, hidden});
  if (extras.mask_c.defined()) LVT_CHECK_SHAPE(extras.mask_c, {batch, hidden});
}

}  // namespace

const std::vector<EnumName<CellType>>& enum_names(CellType) {
  static const std::vector<EnumName<CellType>> names = {
      {"lstm", CellType::kLstm, "long short-term memory"},
      {"gru", CellType::kGru, "gated recurrent unit"}};
  return names;
}

void RecurrentState::select_rows(const at::Tensor& index) {
  h = h.index_select(0, index);
  if (c.defined()) c = c.index_select(0, index);
}

GateInputs RecurrentLayer::gate_inputs(const at::Tensor& input, const at::Tensor& lengths,
                                       bool reverse) const {
  LVT_CHECK_SHAPE(input, {-1, -1, weights_.weight_ih.size(1)});
  PackPlan plan = plan_packing(lengths, input.size(0), input.size(1), reverse);
  at::Tensor rows = project(to_packed(input, plan));
  return {std::move(rows), {}, std::move(plan), input.size(1)};
}

RecurrentResult RecurrentLayer::forward(const at::Tensor& input, const at::Tensor& lengths,
                                        const RecurrentState& initial,
                                        const RecurrentExtras& extras) const {
  LVT_CHECK_SHAPE(input, {-1, -1, weights_.weight_ih.size(1)});
  check_rows(*this, input.size(0), initial, extras);
  return run(gate_inputs(input, lengths, extras.reverse), initial, extras);
}

RecurrentResult RecurrentLayer::forward_words(const at::Tensor& ids, const at::Tensor& table,
                                              const at::Tensor& lengths,
                                              const RecurrentState& initial,
                                              const RecurrentExtras& extras) const {
  LVT_CHECK_SHAPE(ids, {-1, -1});
  LVT_CHECK_SHAPE(table, {-1, weights_.weight_ih.size(1)});
  check_rows(*this, ids.size(0), initial, extras);
  if (!table.is_cpu()) {
    return forward(at::embedding(table, ids.to(table.device())), lengths, initial, extras);
  }
  PackPlan plan = plan_packing(lengths, ids.size(0), ids.size(1), extras.reverse);
  DistinctWords words = distinct_words(ids, plan, table.size(0));
  at::Tensor rows = project(at::embedding(table, words.ids));
  return run({std::move(rows), std::move(words.index), std::move(plan), ids.size(1)}, initial,
             extras);
}

void RecurrentLayer::step(const at::Tensor& input, const std::vector<int64_t>& index,
                          const at::Tensor& sentence_bias, RecurrentState& state) const {
  const at::NoGradGuard no_grad;
  LVT_ASSERT(static_cast<int64_t>(index.size()) == state.h.size(0) ||
                 (index.empty() && input.size(0) == state.h.size(0)),
             "a step requires one input per sentence");
  advance(project(input), index, sentence_bias, state);
}

RecurrentState RecurrentLayer::zero_state(int64_t rows) const {
  const auto zeros = [&] {
    return at::zeros({rows, hidden()}, weights_.weight_hh.options().requires_grad(false));
  };
  return {zeros(), has_cell() ? zeros() : at::Tensor()};
}

RecurrentWeights recurrent_weights(const ModuleScope& scope, int64_t gates, int64_t input,
                                   int64_t hidden, double bound, const std::string& suffix) {
  const double limit = bound < 0 ? 1 / std::sqrt(static_cast<double>(hidden)) : bound;
  const auto parameter = [&](const char* name, at::IntArrayRef shape) {
    return scope.uniform(name + suffix, shape, limit);
  };
  return {parameter("weight_ih_l0", {gates * hidden, input}),
          parameter("weight_hh_l0", {gates * hidden, hidden}),
          parameter("bias_ih_l0", {gates * hidden}), parameter("bias_hh_l0", {gates * hidden})};
}

namespace {

std::unique_ptr<RecurrentLayer> make_lstm(const ModuleScope& scope, const RecurrentLayout& layout,
                                          const std::string& suffix = "") {
  return std::make_unique<Lstm>(scope, layout.input, layout.hidden, layout.forget_bias,
                                layout.bound, suffix);
}

std::unique_ptr<RecurrentLayer> make_gru(const ModuleScope& scope, const RecurrentLayout& layout) {
  return std::make_unique<Gru>(scope, layout.input, layout.hidden, layout.bound);
}

}  // namespace

std::unique_ptr<RecurrentLayer> make_recurrent_layer(const ModuleScope& scope,
                                                     const RecurrentLayout& layout) {
  return layout.cell == CellType::kLstm ? make_lstm(scope.child("lstm"), layout)
                                        : make_gru(scope.child("gru"), layout);
}

RecurrentEncoder make_recurrent_encoder(const ModuleScope& scope, const RecurrentLayout& layout,
                                        bool bidirectional) {
  if (!bidirectional) return {make_recurrent_layer(scope, layout), nullptr};
  if (layout.cell == CellType::kGru) {
    auto forward = make_gru(scope.child("gru"), layout);
    return {std::move(forward), make_gru(scope.child("gru_reverse"), layout)};
  }
  const ModuleScope both = scope.child("lstm");
  auto forward = make_lstm(both, layout);
  return {std::move(forward), make_lstm(both, layout, "_reverse")};
}

RecurrentEncoder::RecurrentEncoder(std::unique_ptr<RecurrentLayer> forward,
                                   std::unique_ptr<RecurrentLayer> reverse)
    : forward_(std::move(forward)), reverse_(std::move(reverse)) {}

int64_t RecurrentEncoder::width() const {
  return forward_->hidden() + (reverse_ ? reverse_->hidden() : 0);
}

at::Tensor RecurrentEncoder::final_states(const at::Tensor& ids, const at::Tensor& table,
                                          const at::Tensor& lengths) const {
  at::Tensor last = forward_->forward_words(ids, table, lengths).state.h;
  if (!reverse_) return last;
  return at::cat(
      {last, reverse_->forward_words(ids, table, lengths, {}, {.reverse = true}).state.h}, 1);
}

at::Tensor RecurrentEncoder::outputs(const at::Tensor& input, const at::Tensor& lengths) const {
  at::Tensor states = forward_->forward(input, lengths).outputs;
  if (!reverse_) return states;
  return at::cat({states, reverse_->forward(input, lengths, {}, {.reverse = true}).outputs}, 2);
}

}  // namespace lvtext
