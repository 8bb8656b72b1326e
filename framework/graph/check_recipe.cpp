#include "framework/graph/check_recipe.h"

#include "framework/base/strings.h"
#include "framework/graph/data_nodes.h"
#include "framework/graph/metric_options.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

void check_model(const Node& options, const std::string& name, const Mark& mark,
                 const std::string& path, const Registries& registries, Errors& errors) {
  if (const ModelEntry* model = registries.models.find(name)) {
    model->check(options.without("model").without("label").without("train"), errors, path);
  } else {
    errors.add(mark, registries.models.unknown_message(name),
               registries.models.known_message(name));
  }
  // Alone, so that a mistake in the recipe's `train` is reported once and not for every row.
  if (const Node* train = options.find("train")) {
    parse_options<TrainOptions>(*train, errors, {}, path + ".train");
  }
}

void check_metric(const Node::Entry& metric, const Registries& registries, Errors& errors) {
  const std::string path = "evaluate." + metric.key;
  const MetricOptions options = MetricOptions::parse(metric.value, errors, path);
  if (const EvaluatorEntry* evaluator = registries.evaluators.find(options.evaluator)) {
    evaluator->check(options.own, errors, path);
  } else if (const Node* name = metric.value.find("evaluator")) {
    errors.add(name->mark(), registries.evaluators.unknown_message(options.evaluator),
               registries.evaluators.known_message(options.evaluator));
  }
  check_model(options.lm, "rnn_lm", metric.value.mark(), path + ".lm", registries, errors);
}

}  // namespace

void check_components(const Recipe& recipe, const Registries& registries, Errors& errors) {
  parse_options<DataBlock>(recipe.options.data, errors, {}, "data");
  parse_options<TrainOptions>(recipe.options.train, errors, {}, "train");
  for (const Node::Entry& row : recipe.options.models.entries()) {
    const Node* model = row.value.find("model");
    if (!model) continue;
    check_model(row.value, model->text(), model->mark(), "models." + row.key, registries, errors);
  }
  std::vector<std::string> metrics;
  for (const Node::Entry& metric : recipe.options.evaluate.entries()) {
    metrics.push_back(metric.key);
    check_metric(metric, registries, errors);
  }
  const Node* table = recipe.tree.find("table");
  for (const auto& column : recipe.options.table.columns) {
    if (std::find(metrics.begin(), metrics.end(), column) != metrics.end()) continue;
    const auto near = nearest(column, metrics);
    errors.add(table ? table->mark() : Mark{}, "table.columns names '" + column +
               "', which is no metric of `evaluate`",
               near ? "did you mean '" + *near + "'?" : "all: " + join(metrics));
  }
}

}  // namespace lvtext
