// Filters over windows of word vectors with max pooling over time.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Features of a sentence: the largest value of each filter in all windows of `size` consecutive
/// words (Collobert et al. 2011). Parameters "weight" [C, E, size] and "bias" [C], named and laid
/// out as in torch::nn::Conv1d.
class MaxOverTime : public torch::nn::Module {
 public:
  /// Initializes weight and bias with U(-limit, limit), limit = sqrt(6 / (fan_in + fan_out)), as
  /// TensorFlow does for a kernel [size, E, 1, C] (fan_in = size E, fan_out = size E C) and a bias
  /// [C] (fan_in = fan_out = C).
  MaxOverTime(const Init& init, int64_t embedding, int64_t size, int64_t filters);
  /// vectors [B, T, E], lengths [B] int64 on the CPU -> [B, C]. Only windows within the first
  /// lengths[b] words are used; size <= lengths[b] <= T.
  at::Tensor forward(const at::Tensor& vectors, const at::Tensor& lengths) const;

 private:
  int64_t size_;
  at::Tensor weight_, bias_;
};

}  // namespace lvtext
