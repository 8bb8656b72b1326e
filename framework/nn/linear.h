// A fully connected layer whose initial values depend on (seed, name) alone.
#pragma once

#include "framework/tensor/torch.h"

namespace lvtext {

/// y = x W^T + b; parameters "weight" [out, in] and "bias" [out] as torch::nn::Linear names them.
class Linear : public torch::nn::Module {
 public:
  /// Weight and bias U(-1/sqrt(in), 1/sqrt(in)), torch's default; `bound` >= 0 replaces the
  /// weight's bound and sets the bias to 0. `name` must be unique within the model.
  Linear(int64_t in, int64_t out, uint64_t seed, std::string_view name, double bound = -1);
  /// [..., in] -> [..., out].
  at::Tensor forward(const at::Tensor& x) const;
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }

 private:
  at::Tensor weight_, bias_;
};

}  // namespace lvtext
