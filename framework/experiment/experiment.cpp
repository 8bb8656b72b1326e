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

namespace lvtext {
namespace {

/// Names the nodes: the ids of the recipe, then the framework's words, joined by '-', which no id
/// holds. The words at the end tell which ids stand before them, so that no ids give two nodes one
/// name: ROW, ROW-samples, ROW-METRIC-score, ROW-METRIC-INPUT, METRIC-INPUT,
/// ROW-figure-FIGURE-INPUT, data-source. The seed of a row's further trainings comes behind the
/// words.
class Builder {
 public:
  Builder(const CheckedRecipe& checked, const Registries& registries,
          const ExperimentRequest& request)
      : checked_(checked), registries_(registries), request_(request) {
    const Recipe& recipe = checked.recipe;
    experiment_.recipe = recipe;
    const auto halves = split(recipe.options.recipe, '/');
    experiment_.paper = halves.front();
    experiment_.table = halves.back();
    experiment_.graph =
        Graph(experiment_.paper, recipe.profile.empty() ? "default" : recipe.profile);
    experiment_.data_options = checked.data;
    experiment_.data = add_data(experiment_.graph, "data", checked.data, request.places);
    config_ = to_yaml(recipe.tree);
    for (const CheckedMetric& metric : checked.metrics) {
      experiment_.metrics.push_back(
          {metric.id, metric.evaluator.component->about.name, metric.score, selections_of(metric)});
    }
    resolver_.emplace(ResolverContext{experiment_.graph, registries, experiment_.data,
                                      checked.train.seed, request.places, config_},
                      checked.metrics);
  }

  Experiment build() {
    check_seeds();
    for (const CheckedRow& row : checked_.rows) add_row(row);
    for (const auto& [id, not_run] : experiment_.recipe.options.not_run) {
      ExperimentRow row;
      row.id = id;
      row.label = not_run.label;
      row.reason = not_run.reason;
      experiment_.rows.push_back(std::move(row));
    }
    for (const CheckedFigure& checked : checked_.figures) {
      ExperimentFigure figure{checked.id, checked.options.title, checked.kind, {}};
      for (const auto& row : checked.options.rows) figure.panels.push_back(panel(checked, row));
      experiment_.figures.push_back(std::move(figure));
    }
    return std::move(experiment_);
  }

 private:
  int64_t seeds_of(const CheckedRow& row) const { return request_.seeds.value_or(row.seeds); }

  /// The seeds of further trainings follow the first one, and are numbers too.
  void check_seeds() const {
    Errors errors;
    std::set<std::string> reported;  // most rows inherit one seed
    for (const CheckedRow& row : checked_.rows) {
      if (!row.model) continue;
      const int64_t largest = std::numeric_limits<int64_t>::max() - (seeds_of(row) - 1);
      const std::string message = "train.seed: " + std::to_string(row.train.seed) +
                                  " is too large for " + std::to_string(seeds_of(row)) +
                                  " trainings, whose seeds are consecutive";
      if (row.train.seed <= largest || !reported.insert(message).second) continue;
      errors.add(checked_.recipe.row_train(row.id).find("seed")->mark(), message,
                 "allowed: 0.." + std::to_string(largest));
    }
    errors.throw_if_any();
  }

  void add_row(const CheckedRow& checked) {
    ExperimentRow row{.id = checked.id, .label = checked.label, .checked = checked};
    const bool wanted =
        request_.rows.empty() ||
        std::find(request_.rows.begin(), request_.rows.end(), row.id) != request_.rows.end();
    if (!wanted) {
      row.reason = "not asked for (--rows)";
    } else if (checked.model) {
      for (int64_t k = 0; k < seeds_of(checked); ++k) add_model_row(row, k);
    } else {
      add_given_row(row);
    }
    experiment_.rows.push_back(std::move(row));
  }

  /// What the weights of the models that score are selected on.
  static std::map<std::string, std::string> selections_of(const CheckedMetric& metric) {
    std::map<std::string, std::string> selections;
    for (const CheckedInput& input : metric.inputs) {
      for (const auto& filling : input.fillings) {
        const auto* model = std::get_if<InlineModel>(&filling);
        const std::string text = model ? model->selected_on() : "";
        if (!text.empty()) selections[input.decl.name] = text;
      }
    }
    return selections;
  }

  void add_model_row(ExperimentRow& row, int64_t k) {
    const DataNodes& data = experiment_.data;
    const CheckedRow& checked = row.checked;
    TrainOptions train = checked.train;
    train.seed += k;
    ResolvedRow resolved{.id = row.id,
                         .suffix = k ? "-" + std::to_string(train.seed) : "",
                         .seed = train.seed,
                         .model = checked.model->component,
                         .generation = checked.generation,
                         .place = static_cast<size_t>(k),
                         .of = static_cast<size_t>(seeds_of(checked))};
    const Resolved inputs = resolver_->resolve(row.id, checked.inputs, resolved);
    const std::string name = row.id + resolved.suffix;
    if (checked.model->fit) {
      row.reason = join(inputs.reasons, "; ");
      if (!row.reason.empty()) return;
      resolved.trained = add_fit_node(experiment_.graph, registries_, name, *checked.model,
                                      inputs.inputs, train.seed);
    } else {
      Training training{
          name, *checked.model, train, data.packs.at("train"), data.packs.at("valid"), config_};
      const bool has_data = !checked.data.empty();
      if (has_data) training.train_data = stream_sources(checked.data, node_of_split());
      if (has_data || !checked.validate_on.empty()) {
        training.valid_data = stream_sources(checked.validate_on, node_of_split());
      }
      if (checked.init) {
        training.initial = resolver_->trained_as(checked.init->from, resolved);
        training.rename = checked.init->rename;
      }
      for (const auto& [input, nodes] : inputs.inputs) {
        training.models.insert_or_assign(input, nodes.front());
      }
      resolved.trained = add_training(experiment_.graph, registries_, training);
    }
    resolver_->add_trained(row.id, resolved.trained);
    row.trained[train.seed] = resolved.trained;
    first_seeds_.emplace(row.id, resolved);
    add_texts(row, resolved);
    if (k == 0 && !row.reconstructions.empty()) add_latent_space(row, resolved);
    add_scores(row, resolved);
  }

  /// "data.train" -> the node of its dataset.
  std::function<std::string(const Node&)> node_of_split() const {
    return [this](const Node& reference) {
      return experiment_.data.packs.at(parse_reference(reference.text())->part);
    };
  }

  /// A row without a model: its texts are given.
  void add_given_row(ExperimentRow& row) {
    const ResolvedRow resolved{.id = row.id, .fillers = row.checked.fillers};
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
    for (const CheckedMetric& metric : checked_.metrics) {
      const Resolved inputs = resolver_->resolve(metric.id, metric.inputs, resolved);
      ExperimentCell& cell = row.cells[metric.id];
      if (!inputs.reasons.empty()) {
        cell.reason = join(inputs.reasons, "; ");
        continue;
      }
      cell.scores[resolved.seed] = add_evaluation(
          experiment_.graph, registries_, row.id + "-" + metric.id + "-score" + resolved.suffix,
          metric.evaluator, inputs.inputs);
    }
  }

  /// A number as a recipe writes it.
  static Node::Entry entry(const char* key, int64_t value) {
    return {key, Node::scalar(std::to_string(value)), {}};
  }

  Configured inference(const std::string& name, std::vector<Node::Entry> options) const {
    return registries_.inference.get(name).configure(Node::mapping(std::move(options)));
  }

  void add_latent_space(ExperimentRow& row, const ResolvedRow& resolved) {
    const LatentSpaceOptions& options = experiment_.recipe.options.latent_space;
    const FilledInputs inputs = {{"model", {resolved.trained}},
                                 {"text", {experiment_.data.packs.at("test")}}};
    if (options.interpolations > 0) {
      row.interpolations = add_inference_node(
          experiment_.graph, registries_, row.id + "-interpolations",
          inference("interpolations",
                    {entry("pairs", options.interpolations), entry("steps", options.steps),
                     entry("max_length", resolved.generation.max_length)}),
          inputs);
    }
    if (options.neighbours_of > 0) {
      row.neighbours =
          add_inference_node(experiment_.graph, registries_, row.id + "-neighbours",
                             inference("neighbours", {entry("sentences", options.neighbours_of),
                                                      entry("count", options.neighbours)}),
                             inputs);
    }
  }

  /// A row's first seed stands for it.
  ExperimentPanel panel(const CheckedFigure& figure, const std::string& id) {
    const auto row = std::find_if(experiment_.rows.begin(), experiment_.rows.end(),
                                  [&id](const ExperimentRow& each) { return each.id == id; });
    LVT_ASSERT(row != experiment_.rows.end(), "a figure of a row that is not there");
    ExperimentPanel panel{id, row->label, row->reason, {}};
    if (!panel.reason.empty()) return panel;
    const auto first = first_seeds_.find(id);
    const ResolvedRow resolved = first == first_seeds_.end()
                                     ? ResolvedRow{.id = id, .fillers = row->checked.fillers}
                                     : first->second;
    const Resolved inputs = resolver_->resolve("figure-" + figure.id, figure.inputs, resolved);
    panel.reason = join(inputs.reasons, "; ");
    if (panel.reason.empty()) panel.inputs = inputs.inputs;
    return panel;
  }

  const CheckedRecipe& checked_;
  const Registries& registries_;
  const ExperimentRequest& request_;
  Experiment experiment_;
  std::string config_;                              // the resolved recipe, which trainings keep
  std::map<std::string, ResolvedRow> first_seeds_;  // of rows with a model, for figures
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
      for (const auto& [input, fillings] : panel.inputs) {
        for (const NodePart& filling : fillings) {
          const auto nodes = filling.nodes();
          names.insert(names.end(), nodes.begin(), nodes.end());
        }
      }
    }
  }
  return names;
}

Experiment build_experiment(const CheckedRecipe& recipe, const Registries& registries,
                            const ExperimentRequest& request) {
  const auto known = recipe.recipe.rows();
  for (const auto& row : request.rows) {
    if (std::find(known.begin(), known.end(), row) != known.end()) continue;
    throw UsageError("--rows: the recipe has no row '" + row + "'; " + suggestion(row, known));
  }
  return Builder(recipe, registries, request).build();
}

}  // namespace lvtext
