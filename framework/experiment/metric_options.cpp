#include "framework/experiment/metric_options.h"

#include "framework/options/mapping.h"

namespace lvtext {
namespace {

/// The keys that are not the evaluator's.
struct GraphKeys {
  std::string evaluator, score;
  Node lm = Node::mapping({}), encoder = Node::mapping({});

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

}  // namespace

MetricOptions MetricOptions::parse(const Node& metric, Errors& errors, const std::string& path) {
  const DividedMapping parts = divide_mapping<GraphKeys>(metric);
  const auto keys = parse_options<GraphKeys>(parts.declared, errors, {}, path);
  return {keys.evaluator, keys.score, keys.lm, keys.encoder, parts.others};
}

}  // namespace lvtext
