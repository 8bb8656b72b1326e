#include "framework/experiment/experiment.h"

#include <algorithm>
#include <limits>
#include <set>

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/experiment/reference.h"
#include "framework/experiment/resolver.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/dump.h"
#include "framework/options/mapping.h"

namespace lvtext {
namespace {

/// Names the nodes: the ids of the recipe, then the framework's words, joined by '-', which no id
/// holds. The words at the end tell which ids stand before them, so that no ids give two nodes one
/// name: ROW, ROW-samples, ROW-METRIC-score, ROW-METRIC-INPUT, METRIC-INPUT, FIGURE-ROW-draws,
/// data-source. The seed of a row's further trainings comes behind the words.
class Builder {
 public:
  Builder(const Recipe& recipe, const Registries& registries, const ExperimentRequest& request)
      : registries_(registries), request_(request) {
    experiment_.recipe = recipe;
    const auto halves = split(recipe.options.recipe, '/');
    experiment_.paper = halves.front();
    experiment_.table = halves.back();
    experiment_.graph =
        Graph(experiment_.paper, recipe.profile.empty() ? "default" : recipe.profile);
    experiment_.data_options = parse_options_or_throw<DataBlock>(recipe.options.data, {}, "data");
    experiment_.data =
        add_data(experiment_.graph, "data", experiment_.data_options, request.places);
    config_ = to_yaml(recipe.tree);
    Errors errors;
    for (const auto& entry : recipe.options.evaluate.entries()) {
      const auto& metric = metrics_[entry.key] =
          parse_block<MetricOptions>(entry.value, errors, "evaluate." + entry.key);
      experiment_.metrics.push_back(
          {entry.key, metric.evaluator, metric.score, selections_of(metric)});
    }
    resolver_.emplace(ResolverContext{experiment_.graph, registries, experiment_.data,
                                      recipe.options.train, request.places, config_},
                      metrics_);
  }

  Experiment build() {
    check_seeds();
    for (const auto& id : experiment_.recipe.rows()) add_row(id);
    for (const auto& [id, not_run] : experiment_.recipe.options.not_run) {
      ExperimentRow row;
      row.id = id;
      row.label = not_run.label;
      row.reason = not_run.reason;
      experiment_.rows.push_back(std::move(row));
    }
    for (const auto& [id, options] : experiment_.recipe.options.figures) {
      ExperimentFigure figure{id, options, {}};
      for (const auto& row : options.rows) figure.panels.push_back(panel(id, options, row));
      experiment_.figures.push_back(std::move(figure));
    }
    return std::move(experiment_);
  }

 private:
  int64_t seeds_of(const std::string& row) const {
    return request_.seeds.value_or(experiment_.recipe.row_seeds(row));
  }

  /// The seeds of further trainings follow the first one, and are numbers too.
  void check_seeds() const {
    Errors errors;
    std::set<std::string> reported;  // most rows inherit one seed
    for (const auto& id : experiment_.recipe.rows()) {
      if (!experiment_.recipe.row(id).find("model")) continue;
      const Node train = experiment_.recipe.row_train(id);
      const int64_t largest = std::numeric_limits<int64_t>::max() - (seeds_of(id) - 1);
      const int64_t seed = read_train_options(train).seed;
      const std::string message = "train.seed: " + std::to_string(seed) + " is too large for " +
                                  std::to_string(seeds_of(id)) +
                                  " trainings, whose seeds are consecutive";
      if (seed <= largest || !reported.insert(message).second) continue;
      errors.add(train.find("seed")->mark(), message, "allowed: 0.." + std::to_string(largest));
    }
    errors.throw_if_any();
  }

  void add_row(const std::string& id) {
    const Node& node = experiment_.recipe.row(id);
    ExperimentRow row;
    row.id = id;
    const Node* label = node.find("label");
    row.label = label ? label->text() : id;
    const bool wanted =
        request_.rows.empty() ||
        std::find(request_.rows.begin(), request_.rows.end(), id) != request_.rows.end();
    if (!wanted) {
      row.reason = "not asked for (--rows)";
    } else if (const Node* model = node.find("model")) {
      const int64_t seeds = seeds_of(id);
      for (int64_t k = 0; k < seeds; ++k) add_model_row(row, model->text(), node, k);
    } else {
      add_given_row(row, node);
    }
    experiment_.rows.push_back(std::move(row));
  }

  /// What the weights of the models that score are selected on.
  std::map<std::string, std::string> selections_of(const MetricOptions& metric) const {
    std::map<std::string, std::string> selections;
    const Component& evaluator = registries_.evaluators.get(metric.evaluator);
    for (const InputDecl& input : evaluator.inputs(metric.own)) {
      const Node effective = effective_input(input, metric.written(input.name), registries_);
      if (!effective.is_mapping()) continue;
      Errors errors;
      const auto text = selected_on(parse_block<InlineModel>(effective, errors, "inputs"));
      if (!text.empty()) selections[input.name] = text;
    }
    return selections;
  }

  void add_model_row(ExperimentRow& row, const std::string& model, const Node& node, int64_t k) {
    const DataNodes& data = experiment_.data;
    auto train = read_train_options(experiment_.recipe.row_train(row.id));
    train.seed += k;
    ResolvedRow resolved{.id = row.id,
                         .suffix = k ? "-" + std::to_string(train.seed) : "",
                         .seed = train.seed,
                         .component = model,
                         .generation = experiment_.recipe.row_generation(row.id),
                         .place = static_cast<size_t>(k),
                         .of = static_cast<size_t>(seeds_of(row.id))};
    const Node own = model_options(node);
    Training training{row.id + resolved.suffix, model,  own, train, data.packs.at("train"),
                      data.packs.at("valid"),   config_};
    const Node* inputs = node.find("inputs");
    training.models = resolver_->given_models(registries_.models.get(model), own,
                                              inputs ? *inputs : Node::mapping({}), resolved);
    resolved.trained = add_training(experiment_.graph, registries_, training);
    resolver_->add_trained(row.id, resolved.trained);
    row.trained[train.seed] = resolved.trained;
    add_texts(row, resolved);
    if (k == 0 && !row.reconstructions.empty()) add_latent_space(row, resolved);
    add_scores(row, resolved);
  }

  /// A row without a model: its texts are given.
  void add_given_row(ExperimentRow& row, const Node& node) {
    ResolvedRow resolved{.id = row.id};
    for (const Node::Entry& entry : node.entries()) {
      if (entry.key != "label") resolved.fillers[entry.key] = entry.value.text();
    }
    add_texts(row, resolved);
    add_scores(row, resolved);
  }

  /// Its texts, where a metric asks for them or the report can show them.
  void add_texts(ExperimentRow& row, const ResolvedRow& resolved) {
    std::string reason;
    if (resolver_->is_wanted("samples")) {
      const std::string node = resolver_->text_of_row("samples", resolved, reason);
      if (!node.empty()) row.samples[resolved.seed] = node;
    }
    const std::string node = resolver_->text_of_row("reconstructions", resolved, reason);
    if (!node.empty()) row.reconstructions[resolved.seed] = node;
  }

  void add_scores(ExperimentRow& row, const ResolvedRow& resolved) {
    for (const auto& metric : experiment_.metrics) {
      const MetricOptions& options = metrics_.at(metric.id);
      const Resolved inputs = resolver_->resolve(metric.id, options, resolved);
      ExperimentCell& cell = row.cells[metric.id];
      if (!inputs.reasons.empty()) {
        cell.reason = join(inputs.reasons, "; ");
        continue;
      }
      cell.scores[resolved.seed] = add_evaluation(
          experiment_.graph, registries_, row.id + "-" + metric.id + "-score" + resolved.suffix,
          options.evaluator, options.own, inputs.inputs);
    }
  }

  /// A number as a recipe writes it.
  static Node::Entry entry(const char* key, int64_t value) {
    return {key, Node::scalar(std::to_string(value)), {}};
  }

  void add_latent_space(ExperimentRow& row, const ResolvedRow& resolved) {
    const LatentSpaceOptions& options = experiment_.recipe.options.latent_space;
    const FilledInputs inputs = {{"model", {resolved.trained}},
                                 {"text", {experiment_.data.packs.at("test")}}};
    if (options.interpolations > 0) {
      row.interpolations = add_inference_node(
          experiment_.graph, registries_, row.id + "-interpolations", "interpolations",
          Node::mapping({entry("pairs", options.interpolations), entry("steps", options.steps),
                         entry("max_length", resolved.generation.max_length)}),
          inputs);
    }
    if (options.neighbours_of > 0) {
      row.neighbours =
          add_inference_node(experiment_.graph, registries_, row.id + "-neighbours", "neighbours",
                             Node::mapping({entry("sentences", options.neighbours_of),
                                            entry("count", options.neighbours)}),
                             inputs);
    }
  }

  /// A row's first seed stands for it.
  ExperimentPanel panel(const std::string& figure, const FigureOptions& options,
                        const std::string& id) {
    const auto row = std::find_if(experiment_.rows.begin(), experiment_.rows.end(),
                                  [&id](const ExperimentRow& each) { return each.id == id; });
    LVT_ASSERT(row != experiment_.rows.end(), "a figure of a row that is not there");
    ExperimentPanel panel{id, row->label, row->reason, ""};
    if (!panel.reason.empty()) return panel;
    if (row->trained.empty()) {
      panel.reason = "the row has no model";
      return panel;
    }
    Graph& graph = experiment_.graph;
    const std::string& trained = row->trained.begin()->second;
    const std::string& model = graph.at(trained).component;
    if (!registries_.models.get(model).can("encodes")) {
      panel.reason = "the model " + model + " does not serve: encodes";
      return panel;
    }
    const std::string draws = add_inference_node(
        graph, registries_, figure + "-" + id + "-draws", "posterior_draws",
        Node::mapping({entry("sentences", options.sentences), entry("draws", options.draws),
                       entry("seed", options.seed)}),
        {{"model", {trained}}, {"text", {experiment_.data.packs.at("test")}}}, options.seed);
    const auto number = [](const char* key, double value) {
      return Node::Entry{key, Node::scalar(format_number(value)), {}};
    };
    panel.layout = add_inference_node(
        graph, registries_, figure + "-" + id + "-tsne", "tsne_layout",
        Node::mapping(
            {number("perplexity", options.perplexity), entry("iterations", options.iterations),
             number("learning_rate", options.learning_rate), entry("seed", options.seed)}),
        {{"draws", {draws}}}, options.seed);
    return panel;
  }

  const Registries& registries_;
  const ExperimentRequest& request_;
  Experiment experiment_;
  std::string config_;  // the resolved recipe, which trainings keep
  std::map<std::string, MetricOptions> metrics_;
  std::optional<Resolver> resolver_;
};

}  // namespace

std::vector<std::string> Experiment::targets(bool training_only) const {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    for (const auto& [seed, node] : row.trained) names.push_back(node);
    if (training_only) continue;
    for (const auto& [metric, cell] : row.cells) {
      for (const auto& [seed, node] : cell.scores) names.push_back(node);
    }
    for (const auto& node : {row.interpolations, row.neighbours}) {
      if (!node.empty()) names.push_back(node);
    }
  }
  if (training_only) return names;
  for (const auto& figure : figures) {
    for (const auto& panel : figure.panels) {
      if (!panel.layout.empty()) names.push_back(panel.layout);
    }
  }
  return names;
}

Experiment build_experiment(const Recipe& recipe, const Registries& registries,
                            const ExperimentRequest& request) {
  const auto known = recipe.rows();
  for (const auto& row : request.rows) {
    if (std::find(known.begin(), known.end(), row) != known.end()) continue;
    throw UsageError("--rows: the recipe has no row '" + row + "'; " + suggestion(row, known));
  }
  return Builder(recipe, registries, request).build();
}

}  // namespace lvtext
