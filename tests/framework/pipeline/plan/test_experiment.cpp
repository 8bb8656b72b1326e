// The graph of a recipe: its rows, the texts that are generated, and names of nodes.
#include "framework/pipeline/plan/experiment.h"

#include <algorithm>
#include <set>

#include "framework/core/base/strings.h"
#include "tests/framework/pipeline/check/loaded_recipe.h"
#include "tests/framework/pipeline/plan/loaded_resolver.h"

using namespace lvtext;

namespace {

std::vector<std::string> run_rows(const Experiment& experiment) {
  std::vector<std::string> rows;
  for (const ExperimentRow& row : experiment.rows) {
    if (row.reason.empty()) rows.push_back(row.id);
  }
  return rows;
}

Experiment requested(const ExperimentRequest& request) {
  return load(kScored, "", {}, request).experiment;
}

std::set<std::string> targets_of(const Experiment& experiment, bool training_only = false) {
  const auto targets = experiment.targets(training_only);
  return {targets.begin(), targets.end()};
}

}  // namespace

TEST_CASE("experiment: --rows names rows, or lines of tables with the rows that they show",
          "[plan]") {
  CHECK(run_rows(requested({})) == std::vector<std::string>{"vae[2]", "vae[4]", "real"});
  const Experiment one = requested({.rows = {"vae[4]"}});
  CHECK(run_rows(one) == std::vector<std::string>{"vae[4]"});
  CHECK(one.row("real")->reason == "not selected (--rows)");
  CHECK(one.selects.empty());  // a selection among fewer rows would be another one
  REQUIRE(one.metrics.at(3).id == "rho");
  CHECK(one.metrics.at(3).across == std::vector<std::string>{"vae[4]"});
  CHECK((one.metrics.at(3).left_out ==
         std::map<std::string, std::string>{{"real", "not selected (--rows)"},
                                            {"vae[2]", "not selected (--rows)"}}));
  const std::string lines =
      replaced(kScored, "  all: {choose: at, columns: [variety]}\n",
               "  all: {rows: {small: \"vae[2]\", winner: best}, columns: [variety]}\n"
               "  alone: {columns: [rho]}\n");
  const auto rows_for = [&lines](const std::string& line) {
    return run_rows(load(lines, "", {}, {.rows = {line}}).experiment);
  };
  CHECK(rows_for("small") == std::vector<std::string>{"vae[2]"});
  CHECK(rows_for("winner") == std::vector<std::string>{"vae[2]", "vae[4]", "real"});
  CHECK_THROWS_WITH(rows_for("alone"), "--rows: the lines alone use no row");
  CHECK_THROWS_WITH(rows_for("reel"),
                    Contains("--rows: the recipe has no row 'reel'") && Contains("real"));
}

TEST_CASE("experiment: seeds are consecutive, and the first trainings have one node each",
          "[plan]") {
  const Experiment twice = requested({.rows = {"vae[2]"}, .seeds = 2});
  CHECK((twice.row("vae[2]")->trained ==
         std::map<int64_t, std::string>{{3, "vae[2]"}, {4, "vae[2]-4"}}));
  CHECK(targets_of(twice, true) == std::set<std::string>{"vae[2]", "vae[2]-4"});
  const std::string last = replaced(kScored, "seed: 3", "seed: 9223372036854775807");
  CHECK_NOTHROW(load(last));
  CHECK_THROWS_WITH(load(last, "", {}, {.seeds = 2}),
                    Contains("train.seed: 9223372036854775807 is too large for 2 trainings") &&
                        Contains("allowed: 0..9223372036854775806"));
}

TEST_CASE("experiment: trainings with a seed of their own, on texts of two seeds, are two",
          "[plan]") {
  const Experiment experiment = load(R"Y(lvtext: 1
recipe: p/own
data: {news: {set: embedded}}
train: {seed: 3, seeds: 2, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  said: {infer: samples, model: vae, count: 40}
  judge: {model: rnn_lm, data: {train: said}, embedding: 4, decoder: {hidden: 4}, train: {seed: 9}}
models:
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
rows:
  judge: {model: judge}
evaluate:
  variety: {evaluator: diversity, samples: 10}
)Y")
                                    .experiment;
  CHECK((experiment.row("judge")->trained ==
         std::map<int64_t, std::string>{{3, "judge"}, {4, "judge-9"}}));
}

TEST_CASE("experiment: --max-nodes counts the added nodes", "[plan]") {
  const Loaded loaded = load(kScored);
  const size_t nodes = loaded.experiment.graph.nodes().size();
  const ExperimentRequest exact{.max_nodes = nodes}, fewer{.max_nodes = 3};
  CHECK_NOTHROW(build_experiment(loaded.checked, registries(), exact));
  CHECK_THROWS_WITH(build_experiment(loaded.checked, registries(), fewer),
                    Contains("the recipe has more than 3 nodes"));
  // Equal nodes of another variant are shared.
  const Experiment again =
      build_experiment(loaded.checked, registries(), fewer, loaded.experiment.graph);
  CHECK(again.graph.nodes().size() == nodes);
}

TEST_CASE("experiment: what no table shows is generated at kept checkpoints only", "[plan]") {
  const Experiment kept = load(kScored).experiment;
  const ExperimentRow& vae = *kept.row("vae[2]");
  CHECK(vae.samples.empty());
  CHECK((vae.at_checkpoints.at("variety") == SeedNodes{{3, "vae[2]-variety-score-checkpoints"}}));
  CHECK((vae.checkpoint_selections.at("at") == SeedNodes{{3, "vae[2]-at"}}));
  CHECK(kept.row("real")->at_checkpoints.empty());
  const Experiment shown =
      load(replaced(kScored, "{choose: at, columns: [variety]}", "{columns: [variety]}"))
          .experiment;
  CHECK((shown.row("vae[2]")->samples == SeedNodes{{3, "vae[2]-samples"}}));
}

TEST_CASE("experiment: the first column of the first table is the headline of a training",
          "[plan]") {
  const std::string shown =
      replaced(kScored, "{choose: at, columns: [variety]}", "{columns: {unique: variety.unique}}");
  const Experiment experiment = load(shown).experiment;
  const auto& headline = experiment.graph.at("vae[2]").headline;
  REQUIRE(headline);
  CHECK(headline->metric == "variety");
  CHECK(headline->score == "unique");
  CHECK_FALSE(load(kScored).experiment.graph.at("vae[2]").headline);  // one score per checkpoint
}

TEST_CASE("experiment: rows, metrics and figures may have the names of the framework's nodes",
          "[plan]") {
  // All words of the framework, and ids that equal others when joined with '_'.
  const std::vector<std::string> ids = {"data_x",     "source",         "tokenizer",
                                        "pack",       "train",          "valid",
                                        "test",       "samples",        "reconstructions",
                                        "neighbors",  "interpolations", "score",
                                        "lm",         "text",           "encoder",
                                        "words",      "draws",          "tsne",
                                        "ae",         "ae_kl",          "x",
                                        "kl_x",       "lm_text",        "data_source",
                                        "pack_train", "model",          "language_model"};
  std::string models, metrics, figures;
  for (const std::string& id : ids) {
    models += "  " + id + ": {model: autoencoder, label: \"" + id +
              "\", train: {seeds: 2}, latent: {size: " + std::to_string(1 + models.size()) + "}}\n";
    // Different options, so that equal work does not hide equal names.
    metrics += "  " + id + "_m: {evaluator: forward_cross_entropy, samples: " +
               std::to_string(1 + metrics.size()) + "}\n";
    metrics += "  " + id +
               "_r: {evaluator: reverse_cross_entropy, samples: 5, inputs: "
               "{language_model: {embedding: " +
               std::to_string(1 + metrics.size()) + "}}}\n";
    metrics += "  " + id + "_f: {evaluator: frechet, samples: 5, inputs: {encoder: {hidden: " +
               std::to_string(1 + metrics.size()) + ", data: {set: embedded-pairs}}}}\n";
    figures += "  " + id + ": {figure: posterior_tsne, rows: [" + join(ids) +
               "], seed: " + std::to_string(1 + figures.size()) + "}\n";
  }
  const Loaded loaded = load(
      "lvtext: 1\nrecipe: p/t\ndata: {set: embedded}\ntrain: {stop: 1u, optimizers: {default: "
      "{type: adam, lr: 1e-3}}}\nlatent_space: {interpolations: 2, steps: 3, "
      "neighbors_of: 2, neighbors: 2}\nmodels:\n" +
          models + "evaluate:\n" + metrics + "figures:\n" + figures,
      "", {}, {.max_nodes = 100'000});
  const Experiment& experiment = loaded.experiment;
  std::set<std::string> names;
  for (const GraphNode& node : experiment.graph.nodes()) CHECK(names.insert(node.name).second);
  CHECK(experiment.graph.nodes().size() > ids.size() * ids.size());
  for (const GraphNode& node : experiment.graph.nodes()) {
    if (split(node.label, '.').size() != 4) FAIL(node.label);
    if (node.label.size() > 246) FAIL(node.label);
  }
}
