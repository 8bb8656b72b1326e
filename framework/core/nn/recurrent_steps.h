// Recurrence composed of LibTorch operations; supports all devices and derivatives of any order.
#pragma once

#include <functional>

#include "framework/core/nn/recurrent_layer.h"

namespace lvtext {

/// [R, ...] -> [N, ...]: row index[i] as row i; `rows` itself if `index` is empty.
at::Tensor rows_at(const at::Tensor& rows, const std::vector<int64_t>& index);

/// One step of a cell for the n active sentences: `input` [n, G] is the input projection of the
/// gates, `sentence_bias` [n, G] may be undefined; `masked` is `state` with its masks applied.
using CellStep =
    std::function<RecurrentState(const at::Tensor& input, const at::Tensor& sentence_bias,
                                 const RecurrentState& state, const RecurrentState& masked)>;

/// Runs all steps of a batch from `initial`. `zeros` ([B, H]) replaces undefined tensors of
/// `initial`; tensors that are undefined in `zeros` do not exist in the cell's state.
RecurrentResult run_steps(const GateInputs& inputs, const RecurrentState& initial,
                          const RecurrentState& zeros, const RecurrentExtras& extras,
                          const CellStep& step);

}  // namespace lvtext
