// The LSTM on the CPU as one operation with its own backward.
#pragma once

#include "framework/nn/lstm.h"

namespace lvtext {

/// lstm() for tensors on the CPU, float32 or float64; h0 and c0 are defined. One matrix product per
/// step over the sentences still alive, one for all steps' inputs, and one for each weight gradient.
LstmResult lstm_fused(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                      const at::Tensor& c0, const LstmWeights& weights, const LstmExtras& extras);

}  // namespace lvtext
