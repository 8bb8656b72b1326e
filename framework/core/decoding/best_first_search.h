// The best-first search of the released code of Vec2Sent, for comparison with beam search.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "framework/core/decoding/decoder.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {

struct BestFirstOptions {
  int64_t width = 10;        ///< nodes expanded in a round, and successors of each
  int64_t finished = 5;      ///< finished sentences after which the search ends
  int64_t max_length = 100;  ///< most tokens of an expanded node, start symbol included
  int64_t batch = kDecodeBatch;
};

/// Decodes one sentence from each row of `z` [N, Z]. All nodes of a sentence that were not expanded
/// wait in one queue. A node's score is
///
///     sum_t p(y_t | y_<t, z) / (n + 5/6),
///
/// a sum of probabilities, not of their logarithms, where n counts the start symbol, the tokens
/// and, if it has ended, the id that ended it. A round takes nodes from the queue, best score first
/// and oldest first among equal ones, until it has min(width, size of the queue at its start) nodes
/// to expand: ended ones are finished, those with n > max_length are dropped, and neither counts.
/// Each of the others gets its `width` most probable successors. The search ends with a round after
/// which `finished` sentences are finished, or with the queue; the finished sentence of the best
/// score is the result, and a sentence without one is empty and counted as cut off. Deterministic.
/// The probabilities are those of the model's output map. Each round reads its nodes from their
/// first token on. Source: https://github.com/maruker/vec2sent (commit 903b05b4),
/// src/vec2sent/lstm/beam_search.py. Throws ConfigError for a model without start symbol or end,
/// DataError for scores that are not finite, and Interrupted between rounds if a stop was
/// requested.
Decoded best_first_search(NextTokenModel& model, const at::Tensor& z,
                          const BestFirstOptions& options);

}  // namespace lvtext
