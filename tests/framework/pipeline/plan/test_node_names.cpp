// Names of nodes: any ids of a recipe give unique names.
#include <set>
#include <string>
#include <vector>

#include "evaluators/register.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/figures/register.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

Registries& registries() {
  static Registries made = [] {
    Registries all;
    register_all_models(all);
    register_all_evaluators(all);
    register_all_inference(all);
    register_all_figures(all);
    register_all_sheets(all);
    return all;
  }();
  return made;
}

Recipe recipe_of(const TemporaryFolder& folder, const std::string& text) {
  write_file_synced(folder.path / "r.yaml", text);
  return load_recipe({(folder.path / "r.yaml").string(), "", "", {}, {}});
}

}  // namespace

TEST_CASE("node names: rows, metrics and figures may have the names of the framework's nodes",
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
  TemporaryFolder folder;
  const Recipe recipe = recipe_of(
      folder,
      "lvtext: 1\nrecipe: p/t\ndata: {set: embedded}\ntrain: {stop: 1u, optimizers: {default: "
      "{type: adam, lr: 1e-3}}}\nlatent_space: {interpolations: 2, steps: 3, "
      "neighbors_of: 2, neighbors: 2}\nmodels:\n" +
          models + "evaluate:\n" + metrics + "figures:\n" + figures);
  const Experiment experiment =
      build_experiment(check_recipe(recipe, registries()), registries(), {.max_nodes = 100'000});
  std::set<std::string> names;
  for (const GraphNode& node : experiment.graph.nodes()) CHECK(names.insert(node.name).second);
  CHECK(experiment.graph.nodes().size() > ids.size() * ids.size());
  for (const GraphNode& node : experiment.graph.nodes()) {
    if (split(node.label, '.').size() != 4) FAIL(node.label);
    if (node.label.size() > 246) FAIL(node.label);
  }
}
