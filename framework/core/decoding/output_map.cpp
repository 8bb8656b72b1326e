#include "framework/core/decoding/output_map.h"

#include <ATen/ATen.h>

#include "framework/core/nn/entmax.h"

namespace lvtext {

at::Tensor probabilities(const OutputMap& map, const at::Tensor& scores) {
  return entmax(scores.to(at::kFloat), map.alpha);
}

at::Tensor log_probabilities(const OutputMap& map, const at::Tensor& scores) {
  if (map.alpha <= kSoftmaxAlpha) return at::log_softmax(scores.to(at::kFloat), 1);
  return probabilities(map, scores).log();
}

}  // namespace lvtext
