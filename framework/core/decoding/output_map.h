// From scores of the next token to probabilities: the one place that knows every output map.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/model/capabilities.h"

namespace lvtext {

/// `scores` [N, V] as distributions over V, in float32. A score of -infinity has probability 0.
at::Tensor probabilities(const OutputMap& map, const at::Tensor& scores);

/// Natural logarithms of probabilities(), [N, V] float32; finite where a softmax underflows.
at::Tensor log_probabilities(const OutputMap& map, const at::Tensor& scores);

}  // namespace lvtext
