// The LSTM on the CPU as one operation with its own backward.
#pragma once

#include "framework/core/nn/recurrent_layer.h"

namespace lvtext {

/// Lstm::forward() after the input's projection, on the CPU, float32 or float64; initial states
/// that are undefined are zeros, which cost no product. One matrix product per step over the
/// sentences still alive; the gradient of the recurrent weights is one product over all steps.
RecurrentResult lstm_fused(const GateInputs& inputs, const RecurrentState& initial,
                           const at::Tensor& weight_hh, const RecurrentExtras& extras);

}  // namespace lvtext
