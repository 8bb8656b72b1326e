// The LSTM on the CPU as one operation with its own backward.
#pragma once

#include "framework/nn/lstm.h"
#include "framework/nn/packing.h"

namespace lvtext {

/// The input's part of the gates for every packed token.
struct ProjectedInput {
  at::Tensor rows;             ///< [R, 4H], both biases included; with gradient
  std::vector<int64_t> place;  ///< [N]: row of each packed token; empty: its own, R = N
};

/// lstm() after the input's projection, on the CPU, float32 or float64; `h0` and `c0` may be
/// undefined: zeros, which cost no product. One matrix product per step over the sentences still
/// alive; the gradient of the recurrent weights is one product over all steps.
LstmResult lstm_fused(const ProjectedInput& input, const PackPlan& plan, int64_t time,
                      const at::Tensor& h0, const at::Tensor& c0, const at::Tensor& weight_hh,
                      const LstmExtras& extras);

}  // namespace lvtext
