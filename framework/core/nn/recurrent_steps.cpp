#include "framework/core/nn/recurrent_steps.h"

namespace lvtext {
namespace {

at::Tensor first_rows(const at::Tensor& x, int64_t rows) {
  return x.defined() ? x.slice(0, 0, rows) : x;
}

at::Tensor masked(const at::Tensor& state, const at::Tensor& mask) {
  return mask.defined() ? state * mask.slice(0, 0, state.size(0)) : state;
}

}  // namespace

at::Tensor rows_at(const at::Tensor& rows, const std::vector<int64_t>& index) {
  return index.empty() ? rows : rows.index_select(0, index_tensor(index, rows.device()));
}

RecurrentResult run_steps(const GateInputs& inputs, const RecurrentState& initial,
                          const RecurrentState& zeros, const RecurrentExtras& extras,
                          const CellStep& step) {
  const PackPlan& plan = inputs.plan;
  const auto sorted = [&](const at::Tensor& x) {
    return x.defined() ? sort_sentences(x, plan) : x;
  };
  const at::Tensor bias = sorted(extras.sentence_bias), mask_h = sorted(extras.mask_h),
                   mask_c = sorted(extras.mask_c);
  const RecurrentState first = {initial.h.defined() ? sorted(initial.h) : zeros.h,
                                initial.c.defined() ? sorted(initial.c) : zeros.c};
  // A single split, because the backward pass of a narrow() per step would fill the entire gradient
  // at each step.
  const auto packed = rows_at(inputs.rows, inputs.index).split_with_sizes(plan.sizes);
  std::vector<at::Tensor> hs, cs;
  RecurrentState state = first;
  for (int64_t t = 0; t < plan.steps(); ++t) {
    const int64_t rows = plan.sizes[t];
    const RecurrentState before = {first_rows(state.h, rows), first_rows(state.c, rows)};
    const bool masks = t > 0 || extras.mask_initial_state;
    state =
        step(packed[t], first_rows(bias, rows), before,
             masks ? RecurrentState{masked(before.h, mask_h), masked(before.c, mask_c)} : before);
    hs.push_back(state.h);
    if (state.c.defined()) cs.push_back(state.c);
  }
  const auto last = [&](const std::vector<at::Tensor>& states, const at::Tensor& initially) {
    return initially.defined() ? unsort_sentences(final_states(states, initially, plan), plan)
                               : at::Tensor();
  };
  const int64_t batch = zeros.h.size(0), hidden = zeros.h.size(1);
  return {hs.empty() ? at::zeros({batch, inputs.time, hidden}, first.h.options())
                     : from_packed(at::cat(hs), plan, inputs.time),
          {last(hs, first.h), last(cs, first.c)}};
}

}  // namespace lvtext
