// The recurrence in LibTorch's own operations, one step after another: any device, any number of
// derivatives.
#pragma once

#include <functional>

#include "framework/core/nn/recurrent_layer.h"

namespace lvtext {

/// Row place[i] of `rows` as row i; `rows` itself where `place` is empty.
at::Tensor rows_at(const at::Tensor& rows, const std::vector<int64_t>& place);

/// One step of a cell over the n sentences still alive: `input` [n, G] is the input's part of the
/// gates, `sentence_bias` [n, G] or undefined; `masked` is `state` with its masks applied.
using CellStep =
    std::function<RecurrentState(const at::Tensor& input, const at::Tensor& sentence_bias,
                                 const RecurrentState& state, const RecurrentState& masked)>;

/// All steps of a batch from `initial`, whose tensors are defined as `zeros` ([B, H]) has them:
/// what is undefined there the cell does not have.
RecurrentResult run_steps(const GateInputs& inputs, const RecurrentState& initial,
                          const RecurrentState& zeros, const RecurrentExtras& extras,
                          const CellStep& step);

}  // namespace lvtext
