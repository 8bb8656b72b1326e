// Conversion of next-token scores to probabilities, for all output maps.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/model/capabilities.h"

namespace lvtext {

/// Converts `scores` [N, V] to distributions over V, in float32. A score of -infinity has
/// probability 0.
at::Tensor probabilities(const OutputMap& map, const at::Tensor& scores);

/// Natural logarithms of probabilities(), [N, V] float32; finite where a softmax underflows,
/// -infinity for tokens of probability 0 of other maps.
at::Tensor log_probabilities(const OutputMap& map, const at::Tensor& scores);

}  // namespace lvtext
