#include "framework/graph/metric_options.h"

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
    v.field("lm", lm, "options of the language model that scores: rnn_lm's, and `train`");
    v.field("encoder", encoder,
            "the sentence encoder: `model` and its options, `data`, `words`, `vectors`, `weights`, "
            "`train`");
  }
};

}  // namespace

MetricOptions MetricOptions::parse(const Node& metric, Errors& errors, const std::string& path) {
  MetricOptions result;
  Node graph_keys = Node::mapping({}, metric.mark());
  for (const Node::Entry& entry : metric.entries()) {
    if (entry.key == "evaluator" || entry.key == "score" || entry.key == "lm" ||
        entry.key == "encoder") {
      graph_keys = graph_keys.with(entry);
    } else {
      result.own = result.own.with(entry);
    }
  }
  const auto keys = parse_options<GraphKeys>(graph_keys, errors, {}, path);
  result.evaluator = keys.evaluator;
  result.score = keys.score;
  result.lm = keys.lm;
  result.encoder = keys.encoder;
  return result;
}

}  // namespace lvtext
