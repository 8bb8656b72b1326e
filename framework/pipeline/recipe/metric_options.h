// Options of metrics.
#pragma once

#include <optional>
#include <string>

#include "framework/core/options/options.h"

namespace lvtext {

/// The keys that metrics of every evaluator have: `forward: {evaluator: forward_cross_entropy,
/// score: nats_per_token, samples: 10000, inputs: {language_model: {...}}}`.
struct MetricOptions {
  std::string evaluator;
  std::string score;
  std::optional<std::string> checkpoints;
  Node rows, across, against;
  Node inputs = Node::mapping({});
  Node own = Node::mapping({});  ///< options of the evaluator: all other keys (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("evaluator", evaluator, "name of the evaluator (`lvtext list evaluators`)", required(),
            not_empty());
    v.field("score", score, "score of the evaluator that tables show; unset: the first");
    v.field("rows", rows, "rows that it is computed for; patterns such as mos[*]; unset: all");
    v.field("across", across,
            "rows and patterns that it combines; checkpoints: the kept checkpoints of each "
            "row");
    v.field("checkpoints", checkpoints,
            "all: combines the rows of `across` at each of their kept checkpoints",
            one_of({"all"}));
    v.field("against", against, "second list of rows, compared with `across`");
    v.field("inputs", inputs,
            "inputs of the evaluator: a reference (data.test, row.samples) or a model; a model "
            "without the key `model` is merged into the evaluator's default");
  }
};

}  // namespace lvtext
