#include "framework/core/decoding/output_map.h"

#include <ATen/ATen.h>

namespace lvtext {

at::Tensor probabilities(const OutputMap& map, const at::Tensor& scores) {
  switch (map.kind) {
    case OutputMap::Kind::kSoftmax: break;
  }
  return at::softmax(scores.to(at::kFloat), 1);
}

at::Tensor log_probabilities(const OutputMap& map, const at::Tensor& scores) {
  switch (map.kind) {
    case OutputMap::Kind::kSoftmax: break;
  }
  return at::log_softmax(scores.to(at::kFloat), 1);
}

}  // namespace lvtext
