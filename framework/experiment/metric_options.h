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
  Node own = Node::mapping({});  ///< the evaluator's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("evaluator", evaluator, "name of the evaluator (`lvtext list evaluators`)", required(),
            not_empty());
    v.field("score", score, "which of the evaluator's scores the table shows; unset: the first");
    v.field("lm", lm, "the language model that scores: `model` and its options, `train`");
    v.field("encoder", encoder,
            "the sentence encoder: `model` and its options, `data`, `words`, `vectors`, `weights`, "
            "`train`");
  }
};

}  // namespace lvtext
