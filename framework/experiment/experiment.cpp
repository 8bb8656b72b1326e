#include "framework/experiment/experiment.h"

#include <algorithm>
#include <limits>
#include <set>

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/experiment/metric_options.h"
#include "framework/nodes/encoder_nodes.h"
#include "framework/nodes/figure_nodes.h"
#include "framework/nodes/latent_nodes.h"
#include "framework/nodes/lm_nodes.h"
#include "framework/nodes/produce_nodes.h"
#include "framework/nodes/score_nodes.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/dump.h"
#include "framework/options/mapping.h"

namespace lvtext {
namespace {

/// Names the nodes: the ids of the recipe, then the framework's words, joined by '-', which no id
/// holds. The words at the end tell which ids stand before them, so that no ids give two nodes one
/// name: ROW, ROW-samples, ROW-METRIC-score, ROW-METRIC-lm, METRIC-lm, METRIC-encoder,
/// FIGURE-ROW-draws, data-source. The seed of a row's further trainings comes behind the words.
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
    experiment_.data = add_data(experiment_.graph, experiment_.data_options, request.places);
    config_ = to_yaml(recipe.tree);
    Errors errors;
    for (const auto& entry : recipe.options.evaluate.entries()) {
      metrics_[entry.key] =
          parse_block<MetricOptions>(entry.value, errors, "evaluate." + entry.key);
      const auto& metric = metrics_[entry.key];
      evaluators_[entry.key] = registries.evaluators.get(metric.evaluator).build(metric.own);
      experiment_.metrics.push_back({entry.key, metric.evaluator, metric.score, ""});
      const auto needs = evaluators_[entry.key]->needs();
      if (needs.contains(EvalNeed::kForwardLm) || needs.contains(EvalNeed::kReverseLm)) {
        experiment_.metrics.back().lm_validation =
            validation_text(parse_block<LmBlock>(metric.lm, errors, "lm"));
      }
    }
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
      add_real_row(row);
    }
    experiment_.rows.push_back(std::move(row));
  }

  int64_t most_samples() const {
    int64_t most = 0;
    for (const auto& [id, evaluator] : evaluators_) most = std::max(most, evaluator->samples());
    return most;
  }

  void add_model_row(ExperimentRow& row, const std::string& model, const Node& node, int64_t k) {
    const DataNodes& data = experiment_.data;
    const GenerationOptions generation = experiment_.recipe.row_generation(row.id);
    auto train = read_train_options(experiment_.recipe.row_train(row.id));
    train.seed += k;
    const std::string suffix = k ? "-" + std::to_string(train.seed) : "";
    Training training{
        row.id + suffix,        model,  model_options(node), train, data.packs.at("train"),
        data.packs.at("valid"), config_};
    const std::string trained = add_training(experiment_.graph, registries_, training);
    row.trained[train.seed] = trained;
    const ModelEntry& entry = registries_.models.get(model);
    std::string samples, reconstructions;
    if (entry.can("next_token") && most_samples() > 0) {
      samples = add_samples(experiment_.graph, registries_, row.id + "-samples" + suffix, trained,
                            data.tokenizer, most_samples(), generation, train.seed);
      row.samples[train.seed] = samples;
    }
    if (entry.can("next_token") && entry.can("encodes")) {
      reconstructions =
          add_reconstructions(experiment_.graph, registries_, row.id + "-reconstructions" + suffix,
                              trained, data.tokenizer, data.packs.at("test"), generation);
      row.reconstructions[train.seed] = reconstructions;
      if (k == 0) add_latent_space(row, trained, generation.max_length);
    }
    for (const auto& metric : experiment_.metrics) {
      ExperimentCell& cell = row.cells[metric.id];
      std::vector<std::string> missing;
      for (const auto& capability : evaluators_.at(metric.id)->capabilities()) {
        if (!entry.can(capability)) missing.push_back(capability);
      }
      if (!missing.empty()) {
        cell.reason = "the model " + model + " does not serve: " + join(missing);
        continue;
      }
      cell.scores[train.seed] =
          score(row.id, metric.id, suffix, train.seed, trained, samples, reconstructions);
    }
  }

  void add_latent_space(ExperimentRow& row, const std::string& trained, int64_t max_length) {
    const LatentSpaceOptions& options = experiment_.recipe.options.latent_space;
    const DataNodes& data = experiment_.data;
    if (options.interpolations > 0) {
      row.interpolations = add_interpolations(
          experiment_.graph, registries_, row.id + "-interpolations", trained, data.tokenizer,
          data.packs.at("test"), options.interpolations, options.steps, max_length);
    }
    if (options.neighbours_of > 0) {
      row.neighbours =
          add_neighbours(experiment_.graph, registries_, row.id + "-neighbours", trained,
                         data.packs.at("test"), options.neighbours_of, options.neighbours);
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
      panel.reason = "real data have no model";
      return panel;
    }
    Graph& graph = experiment_.graph;
    const std::string& trained = row->trained.begin()->second;
    const std::string& model = graph.at(trained).component;
    if (!registries_.models.get(model).can("encodes")) {
      panel.reason = "the model " + model + " does not serve: encodes";
      return panel;
    }
    const std::string draws = add_posterior_draws(graph, registries_, figure + "-" + id + "-draws",
                                                  trained, experiment_.data.packs.at("test"),
                                                  options.sentences, options.draws, options.seed);
    panel.layout =
        add_tsne(graph, figure + "-" + id + "-tsne", draws,
                 {options.perplexity, options.iterations, options.learning_rate}, options.seed);
    return panel;
  }

  /// Real sentences in place of samples: training sentences, scored like a model's.
  void add_real_row(ExperimentRow& row) {
    const DataNodes& data = experiment_.data;
    std::string samples;
    if (most_samples() > 0) {
      samples = add_sentences(experiment_.graph, row.id + "-samples", data.packs.at("train"),
                              data.tokenizer, {.at_most = most_samples()});
      row.samples[std::nullopt] = samples;
    }
    const int64_t seed = read_train_options(experiment_.recipe.options.train).seed;
    for (const auto& metric : experiment_.metrics) {
      const auto needs = evaluators_.at(metric.id)->needs();
      if (needs.contains(EvalNeed::kModel) || needs.contains(EvalNeed::kReconstructions)) {
        row.cells[metric.id].reason = "real data have no model";
        continue;
      }
      row.cells[metric.id].scores[std::nullopt] =
          score(row.id, metric.id, "", seed, "", samples, "");
    }
  }

  std::string score(const std::string& row, const std::string& metric, const std::string& suffix,
                    int64_t seed, const std::string& trained, const std::string& samples,
                    const std::string& reconstructions) {
    const DataNodes& data = experiment_.data;
    const auto& evaluator = *evaluators_.at(metric);
    const auto needs = evaluator.needs();
    std::map<std::string, std::string> inputs = {{"tokenizer", data.tokenizer}};
    if (needs.contains(EvalNeed::kModel)) inputs["model"] = trained;
    if (needs.contains(EvalNeed::kTest)) inputs["test"] = data.packs.at("test");
    if (needs.contains(EvalNeed::kTrain)) inputs["train"] = data.packs.at("train");
    if (needs.contains(EvalNeed::kSamples)) inputs["samples"] = samples;
    if (needs.contains(EvalNeed::kReconstructions)) inputs["reconstructions"] = reconstructions;
    if (needs.contains(EvalNeed::kForwardLm)) {
      inputs["language_model"] =
          language_model(row + "-" + metric + "-lm" + suffix, metric,
                         {samples, most_samples(), evaluator.samples()}, seed);
    }
    if (needs.contains(EvalNeed::kReverseLm)) {
      // Shared by all rows, so it takes the recipe's seed and not the run's.
      const int64_t recipe_seed = read_train_options(experiment_.recipe.options.train).seed;
      inputs["language_model"] =
          language_model(metric + "-lm", metric, {data.packs.at("reverse"), 0, 0}, recipe_seed);
    }
    if (needs.contains(EvalNeed::kSentenceEncoder)) {
      // Shared by all rows and trained once: neither text nor seed of a row has a part in it.
      const EncoderNodes nodes = sentence_encoder(metric);
      inputs["encoder"] = nodes.encoder;
      inputs["words"] = nodes.words;
    }
    return add_score(experiment_.graph, registries_, row + "-" + metric + "-score" + suffix,
                     metrics_.at(metric).evaluator, metrics_.at(metric).own, std::move(inputs));
  }

  EncoderNodes sentence_encoder(const std::string& metric) {
    Errors errors;
    const EncoderBlock block =
        parse_block<EncoderBlock>(metrics_.at(metric).encoder, errors, "encoder");
    return add_encoder(experiment_.graph, registries_, metric + "-encoder", block,
                       experiment_.recipe.options.train, request_.places, config_);
  }

  std::string language_model(const std::string& name, const std::string& metric, const LmText& text,
                             int64_t seed) {
    Errors errors;
    const LmBlock block = parse_block<LmBlock>(metrics_.at(metric).lm, errors, "lm");
    // A node of this name may stand there for another metric with the same language model.
    return add_lm(experiment_.graph, registries_, name, block, experiment_.recipe.options.train,
                  seed, text, experiment_.data, config_);
  }

  const Registries& registries_;
  const ExperimentRequest& request_;
  Experiment experiment_;
  std::string config_;
  std::map<std::string, MetricOptions> metrics_;
  std::map<std::string, std::shared_ptr<const Evaluator>> evaluators_;
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
