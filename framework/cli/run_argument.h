// RUN arguments: the name of a run, or a recipe with overrides.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

class Session;

struct RunWords {
  std::string name;  ///< name of a run as in find_run(), or a recipe
  /// Overrides of the recipe; row=, profile= and seed= select one of its runs.
  std::vector<std::string> overrides;
};

/// Groups words into runs; overrides follow their recipe. Throws UsageError if they follow anything
/// else.
std::vector<RunWords> split_runs(const std::vector<std::string>& words, const Session& session);

/// find_run() and find_model() of framework/pipeline/runs/run_name.h. For a recipe: the run of its
/// only row with a model, or of the row that `row=NAME` or the overrides (`models.NAME.key=value`)
/// select. Throws UsageError listing the rows or seeds, MissingError listing the existing runs of
/// that row.
FoundRun find_run(const RunWords& words, const std::filesystem::path& runs, Session& session);
FoundRun find_model(const RunWords& words, const std::filesystem::path& runs, Session& session);
/// Likewise find_models().
std::vector<FoundRun> find_models(const RunWords& words, const std::filesystem::path& runs,
                                  Session& session);

/// True if the recipe file exists; its content is not checked.
bool is_recipe(const std::string& name, const Session& session);

}  // namespace lvtext
