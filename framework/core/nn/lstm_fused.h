// LSTM on the CPU as a fused operation with a custom backward.
#pragma once

#include "framework/core/nn/recurrent_layer.h"

namespace lvtext {

/// Lstm::forward() after the input projection, on the CPU, in float32 or float64. Undefined initial
/// states are zeros and need no product. Computes one matrix product per step over the active
/// sentences; the gradient of the recurrent weights is one product over all steps.
RecurrentResult lstm_fused(const GateInputs& inputs, const RecurrentState& initial,
                           const at::Tensor& weight_hh, const RecurrentExtras& extras);

}  // namespace lvtext
