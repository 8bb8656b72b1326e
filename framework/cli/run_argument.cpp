#include "framework/cli/run_argument.h"

#include <algorithm>
#include <optional>
#include <set>

#include "framework/cli/session.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/core/sources/fetch.h"
#include "framework/pipeline/graph/runs_folder.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/recipe/recipe.h"
#include "framework/pipeline/runs/differences.h"
#include "framework/pipeline/runs/run_name.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRunsShown = 8;

/// A recipe's overrides, separated into selectors of a run and options of the recipe.
struct RecipeWords {
  std::string recipe, row, profile, seed;
  std::vector<std::string> overrides;

  explicit RecipeWords(const RunWords& words) : recipe(words.name) {
    for (const auto& word : words.overrides) {
      const std::string key = word.substr(0, word.find('='));
      const std::string value = word.substr(key.size() + 1);
      if (key == "row") {
        row = value;
      } else if (key == "profile") {
        profile = value;
      } else if (key == "seed") {
        seed = value;
      } else {
        overrides.push_back(word);
      }
    }
  }

  /// The only row whose model the overrides change; empty if there is none or several.
  std::string overridden_row(const std::vector<std::string>& rows) const {
    std::set<std::string> named;
    for (const auto& each : rows) {
      for (const auto& word : overrides) {
        if (word.starts_with("models." + each + ".") || word.starts_with("rows." + each + ".")) {
          named.insert(each);
        }
      }
    }
    return named.size() == 1 ? *named.begin() : "";
  }
};

/// The rows with a model.
std::vector<std::string> model_rows(const CheckedRecipe& recipe) {
  std::vector<std::string> rows;
  for (const CheckedRow& row : recipe.rows) {
    if (row.entry && row.reason.empty()) rows.push_back(row.id);
  }
  return rows;
}

std::string chosen_row(const RecipeWords& words, const CheckedRecipe& recipe) {
  const auto rows = model_rows(recipe);
  if (!words.row.empty()) {
    if (std::find(rows.begin(), rows.end(), words.row) != rows.end()) return words.row;
    throw UsageError("row=" + words.row + ": the recipe '" + words.recipe +
                     "' has no row of this name with a model; " + suggestion(words.row, rows));
  }
  if (rows.size() == 1) return rows.front();
  const std::string row = words.overridden_row(rows);
  if (!row.empty()) return row;
  if (rows.empty()) throw UsageError("the recipe '" + words.recipe + "' has no row with a model");
  throw UsageError("the recipe '" + words.recipe +
                   "' has several rows with a model; add row=NAME with one of: " + join(rows));
}

std::string chosen_node(const RecipeWords& words, const ExperimentRow& row) {
  if (row.trained.empty()) {
    throw UsageError("row '" + row.id + "' of '" + words.recipe + "' has no model: " + row.reason);
  }
  std::vector<std::string> seeds;
  for (const auto& [seed, node] : row.trained) {
    seeds.push_back(std::to_string(seed));
    if (words.seed == seeds.back()) return node;
  }
  if (words.seed.empty() && seeds.size() == 1) return row.trained.begin()->second;
  throw UsageError("row '" + row.id + "' of '" + words.recipe + "' is trained with the seeds " +
                   join(seeds) + "; add seed=N with one of them");
}

/// Lists the existing runs of a row with their differing options.
std::string runs_of_row(const std::string& paper, const std::string& row,
                        const std::vector<FoundRun>& all) {
  std::vector<const FoundRun*> runs;
  for (const FoundRun& run : all) {
    const bool is_of_row = short_name(run.name()).starts_with(paper + "/" + row + "@");
    if (run.is_model() && is_of_row) runs.push_back(&run);
  }
  if (runs.empty()) return "";
  const auto differ = differences(runs, all);
  std::string text = "; existing runs of this row:";
  for (size_t i = 0; i < std::min(runs.size(), kRunsShown); ++i) {
    const std::string options = differences_text(differ[i]);
    text += "\n  " + runs[i]->name() + (options.empty() ? "" : ": " + options);
  }
  if (runs.size() > kRunsShown) {
    text += "\n  and " + std::to_string(runs.size() - kRunsShown) + " more";
  }
  return text;
}

FoundRun run_of_recipe(const RunWords& given, const fs::path& runs, Session& session) {
  const RecipeWords words(given);
  const CheckedRecipe checked = session.recipe(words.recipe, words.profile, words.overrides);
  ExperimentRequest request;
  request.rows = {chosen_row(words, checked)};
  request.locations = data_locations();
  const Experiment experiment = build_experiment(checked, session.registries(), request);
  const ExperimentRow& row = *experiment.row(request.rows.front());
  const GraphNode& node = experiment.graph.at(chosen_node(words, row));
  const fs::path folder = RunsFolder(runs).folder_of(node);
  if (is_run(folder)) return read_run(folder);
  std::string command = "lvtext train " + words.recipe;
  if (!words.profile.empty()) command += " --profile " + words.profile;
  for (const auto& word : words.overrides) command += " " + word;
  throw MissingError("no run of row '" + row.id + "' of '" + words.recipe + "' below " +
                     runs.string() + " has these options (its folder would be " +
                     folder.filename().string() + "); `" + command + " --rows " + row.id +
                     "` trains it" + runs_of_row(experiment.paper, row.id, find_runs(runs)));
}

/// "; `lvtext train quickstart --rows vae` trains it" for `quickstart/vae`, if `quickstart` is a
/// recipe with such a row, else empty.
std::string train_hint(const std::string& name, Session& session) {
  const std::string path = name.substr(0, name.find_first_of("@#"));
  const size_t slash = path.find('/');
  if (slash == std::string::npos || !is_recipe(path.substr(0, slash), session)) return "";
  const std::string recipe = path.substr(0, slash), row = path.substr(slash + 1);
  const size_t at = name.find('@');
  const std::string profile =
      at == std::string::npos ? "" : name.substr(at + 1, name.find('#', at) - at - 1);
  try {
    const auto rows = model_rows(session.recipe(recipe, profile, {}));
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) return "";
  } catch (const Error&) {  // `train` reports it
    return "";
  }
  return "; `lvtext train " + recipe + (profile.empty() ? "" : " --profile " + profile) +
         " --rows " + row + "` trains it";
}

/// Applies `find` to the name, or finds the run of a recipe if it is one.
template <class Find>
FoundRun find_words(const RunWords& words, const fs::path& runs, Session& session, Find find) {
  if (!words.overrides.empty()) return run_of_recipe(words, runs, session);
  try {
    return find(words.name, runs);
  } catch (const MissingError& error) {
    if (!is_recipe(words.name, session)) {
      throw MissingError(error.what() + train_hint(words.name, session));
    }
  }
  return run_of_recipe(words, runs, session);
}

}  // namespace

bool is_recipe(const std::string& name, const Session& session) {
  if (name.empty()) return false;
  try {
    return !find_recipe(name, session.installation).empty();
  } catch (const Error&) {
    return false;
  }
}

std::vector<RunWords> split_runs(const std::vector<std::string>& words, const Session& session) {
  std::vector<RunWords> runs;
  for (const auto& word : words) {
    std::error_code failed;
    // Names of folders may contain '=' too: "toy.ent=wt2,1.1.cpu.s1-0123abcd".
    const bool is_override = word.find('=') != std::string::npos && !runs.empty() &&
                             !fs::exists(word, failed) && !fs::exists(session.runs / word, failed);
    if (!is_override) {
      runs.push_back({word, {}});
      continue;
    }
    if (!is_recipe(runs.back().name, session)) {
      throw UsageError("RUN: " + shown(word) + " follows " + shown(runs.back().name) +
                       ", which is not a recipe; key=value must follow a recipe");
    }
    runs.back().overrides.push_back(word);
  }
  return runs;
}

FoundRun find_run(const RunWords& words, const fs::path& runs, Session& session) {
  return find_words(words, runs, session,
                    [](const auto& name, const auto& below) { return find_run(name, below); });
}

FoundRun find_model(const RunWords& words, const fs::path& runs, Session& session) {
  return find_words(words, runs, session,
                    [](const auto& name, const auto& below) { return find_model(name, below); });
}

std::vector<FoundRun> find_models(const RunWords& words, const fs::path& runs, Session& session) {
  const bool is_pattern = words.overrides.empty() && words.name.find('*') != std::string::npos;
  if (is_pattern) return find_models(words.name, runs);
  return {find_model(words, runs, session)};
}

}  // namespace lvtext
