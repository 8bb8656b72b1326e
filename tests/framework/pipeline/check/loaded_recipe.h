// Loads recipes from text, for tests of the check.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluators/register.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/pipeline/figures/register.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace lvtext {

inline const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_models(each);
    register_all_evaluators(each);
    register_all_inference(each);
    register_all_figures(each);
    register_all_sheets(each);
    return each;
  }();
  return all;
}

/// The beginning of recipes: a VAE of two sizes with kept checkpoints, and real data. Their
/// metrics, tables and figures follow from line 11 on.
inline const std::string kTwoSizes = R"Y(lvtext: 1
recipe: p/sizes
axes: {size: [2, 4]}
data: {set: embedded}
train: {seed: 3, device: cpu, stop: 4u, optimizers: {default: {type: adam, lr: 0.01}}, keep: {checkpoints: 2u}}
models:
  vae: {over: size, label: "VAE", model: vae, latent: {size: $size}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
  real: {label: "real data", samples: data.train}
generation:
  samples: {checkpoints: all}
)Y";

struct Loaded {
  Recipe recipe;
  CheckedRecipe checked;
  Experiment experiment;
};

inline Loaded load(const std::string& text, const std::string& profile = "",
                   std::vector<std::string> overrides = {}, const ExperimentRequest& request = {}) {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.yaml", text);
  Loaded loaded;
  loaded.recipe =
      load_recipe({(folder / "r.yaml").string(), profile, "", std::move(overrides), {}});
  loaded.checked = check_recipe(loaded.recipe, registries());
  loaded.experiment = build_experiment(loaded.checked, registries(), request);
  return loaded;
}

/// A recipe that is checked, without its graph.
inline CheckedRecipe check_text(const std::string& text) {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.yaml", text);
  return check_recipe(load_recipe({(folder / "r.yaml").string(), "", "", {}, {}}), registries());
}

/// The errors of a recipe, or "accepted".
inline std::string mistake(const std::string& text) {
  try {
    load(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace lvtext
