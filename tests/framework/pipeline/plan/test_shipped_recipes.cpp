// Properties of all recipes in recipes/.
#include <filesystem>
#include <set>
#include <string>

#include "evaluators/register.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/figures/register.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "models/register.h"
#include "tests/catch.h"
#include "trainers/options.h"

using namespace lvtext;

namespace {

/// recipes/<paper>/<table>.yaml; deeper folders have bases of recipes.
std::vector<std::string> shipped() {
  std::vector<std::string> files;
  for (const auto& paper : std::filesystem::directory_iterator("recipes")) {
    for (const auto& entry : std::filesystem::directory_iterator(paper.path())) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    }
  }
  return files;
}

Recipe recipe_of(const std::string& file, const std::string& profile,
                 std::vector<std::string> overrides = {}) {
  return load_recipe({file, profile, "", std::move(overrides), {}});
}

Experiment experiment_of(const Recipe& recipe) {
  static Registries registries;
  if (registries.models.names().empty()) {
    register_all_models(registries);
    register_all_evaluators(registries);
    register_all_inference(registries);
    register_all_figures(registries);
    register_all_sheets(registries);
  }
  return build_experiment(check_recipe(recipe, registries), registries, {});
}

/// Trainings of an experiment without a row, but those that others start from: language models,
/// encoders.
std::vector<const GraphNode*> judges(const Experiment& experiment) {
  std::set<std::string> initial;  // and models that write the texts of rows
  for (const GraphNode& node : experiment.graph.nodes()) {
    const auto input = node.inputs.find(node.component == "complete" ? "model" : "initial");
    if (input != node.inputs.end()) initial.insert(input->second);
  }
  std::vector<const GraphNode*> found;
  for (const GraphNode& node : experiment.graph.nodes()) {
    bool is_row = initial.contains(node.name);
    for (const auto& row : experiment.rows) {
      for (const auto& [seed, trained] : row.trained) is_row = is_row || trained == node.name;
    }
    if (node.kind == NodeKind::kTrain && !is_row) found.push_back(&node);
  }
  return found;
}

}  // namespace

TEST_CASE("recipes: at the paper's run length no schedule is scaled", "[plan]") {
  int checked = 0;
  for (const auto& file : shipped()) {
    if (!recipe_of(file, "").options.profiles.contains("paper")) continue;
    const Recipe recipe = recipe_of(file, "paper");
    for (const Node::Entry& model : recipe.options.models.entries()) {
      INFO(file << " " << model.key);
      const Node* own = model.value.find("train");
      const Node train = own ? merge(recipe.options.train, *own) : recipe.options.train;
      CHECK_FALSE(read_train_options(train.without("seeds")).schedule_length);
      ++checked;
    }
  }
  CHECK(checked > 20);
}

TEST_CASE("recipes: schedules of transfer/table2 count the paper's epochs at its sizes", "[plan]") {
  const Experiment paper = experiment_of(recipe_of("recipes/transfer/table2.yaml", "paper"));
  REQUIRE(paper.rows.size() > 8);
  for (const ExperimentRow& row : paper.rows) {
    if (!row.is_trained()) continue;
    const GraphNode& node = paper.graph.at(row.trained.begin()->second);
    CHECK(node.options.at("model").at("updates_per_epoch") == 4190);
  }
}

TEST_CASE("recipes: overrides of train do not change scoring models", "[plan]") {
  size_t judged = 0;  // not every recipe has scoring models
  for (const auto& file : shipped()) {
    const Experiment plain = experiment_of(recipe_of(file, ""));
    const Experiment changed = experiment_of(recipe_of(
        file, "",
        {"train.stop=3u", "train.schedule_length=null", "train.batch.size=7", "train.max_length=9",
         "train.optimizers.default.lr=0.5", "train.optimizers.default.eps=1e-3",
         "train.precision=bf16", "train.select_checkpoint=last",
         "train.stop_when={type: patience, validations: 9}", "train.ema=0.9",
         "train.deterministic=true", "train.validate_every=2e"}));
    const auto before = judges(plain), after = judges(changed);
    REQUIRE(before.size() == after.size());
    judged += before.size();
    for (size_t i = 0; i < before.size(); ++i) {
      INFO(file << " " << before[i]->name);
      CHECK(before[i]->options == after[i]->options);
      // A language model of samples and a critic of images depend on the model that generated them.
      const auto& inputs = before[i]->inputs;
      const bool of_samples = std::any_of(inputs.begin(), inputs.end(), [](const auto& input) {
        const auto has = [&](const char* name) {
          return input.second.find(name) != std::string::npos;
        };
        return input.first.starts_with("train") && input.second.find("real") != 0 &&
               (has("samples") || has("drawn"));
      });
      if (!of_samples) CHECK(before[i]->identity == after[i]->identity);
    }
  }
  CHECK(judged > 10);
}
