// Cross-entropy of finding the neighbors of a sentence in its batch (Logeswaran and Lee 2018).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// How a sentence takes part in the search for its own neighbors.
enum class OwnScore {
  kZero,      ///< as a candidate with the score 0
  kExcluded,  ///< not at all
};
const std::vector<EnumName<OwnScore>>& enum_names(OwnScore);

/// Scores f g^T of all pairs of sentences, f and g [B, E] -> [B, B]; those on the diagonal are 0
/// or, if excluded, too low to have a probability.
at::Tensor neighbor_scores(const at::Tensor& f, const at::Tensor& g, OwnScore own);

/// Distribution over the neighbors of each sentence: equal for all others whose position differs by
/// at most `context`, zeros for a sentence without one. positions [B] int64 -> [B, B] in the dtype
/// and on the device of `like`.
at::Tensor neighbor_targets(const at::Tensor& positions, int64_t context, const at::Tensor& like);

/// Cross-entropy of softmax(scores) and the targets for each sentence, in nats: [B, B], [B, B] ->
/// [B]; 0 without a target.
at::Tensor neighbor_cross_entropy(const at::Tensor& scores, const at::Tensor& targets);

}  // namespace lvtext
