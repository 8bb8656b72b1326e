// The keys of a metric in a recipe that belong to the graph rather than to the evaluator.
#pragma once

#include <string>

#include "framework/options/options.h"

namespace lvtext {

/// `forward: {evaluator: forward_cross_entropy, score: nats_per_token, samples: 10000, inputs:
/// {language_model: {...}}}`.
struct MetricOptions {
  std::string evaluator;
  std::string score;
  Node inputs = Node::mapping({});
  Node own = Node::mapping({});  ///< the evaluator's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("evaluator", evaluator, "name of the evaluator (`lvtext list evaluators`)", required(),
            not_empty());
    v.field("score", score, "which of the evaluator's scores the table shows; unset: the first");
    v.field("inputs", inputs,
            "what fills the evaluator's inputs: a reference (data.test, row.samples) or a model; "
            "one without `model` is laid on the evaluator's default");
  }

  /// What is written for an input; null if nothing is.
  Node written(const std::string& input) const {
    const Node* node = inputs.find(input);
    return node ? *node : Node();
  }
};

}  // namespace lvtext
