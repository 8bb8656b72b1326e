// Embedding table of word vectors.
#pragma once

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Table [V, E], parameter "weight". The gradient is dense and deterministic: rows are summed in
/// the order of the ids.
class Embedding : public torch::nn::Module {
 public:
  /// Initializes the table with U(-bound, bound).
  Embedding(const Init& init, int64_t vocabulary, int64_t width, double bound = 0.1);
  /// int64 ids [...] -> [..., E].
  at::Tensor forward(const at::Tensor& ids) const;
  const at::Tensor& weight() const { return weight_; }
  int64_t width() const { return weight_.size(1); }

 private:
  at::Tensor weight_;
};

}  // namespace lvtext
