// The keys of a metric in a recipe that belong to the graph rather than to the evaluator.
#pragma once

#include <string>

#include "framework/options/options.h"

namespace lvtext {

/// `forward: {evaluator: forward_cross_entropy, lm: {...}, score: nats_per_token, samples: 10000}`,
/// `fid: {evaluator: frechet, encoder: {...}}`.
struct MetricOptions {
  std::string evaluator;
  std::string score;
  Node lm = Node::mapping({});
  Node encoder = Node::mapping({});  ///< of sentences; see EncoderBlock
  Node own = Node::mapping({});      ///< the evaluator's own options: every other key

  /// Splits the mapping; what is no text where a text belongs goes to the errors.
  static MetricOptions parse(const Node& metric, Errors& errors, const std::string& path);
};

}  // namespace lvtext
