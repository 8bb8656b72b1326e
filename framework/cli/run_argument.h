// RUN as it is typed: the name of a run, or a recipe with overrides.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

class Session;

struct RunWords {
  std::string name;  ///< as find_run() takes it, or a recipe
  std::vector<std::string>
      overrides;  ///< of a recipe; row=, profile= and seed= choose among its runs
};

/// Which of the words belong together: overrides follow their recipe. Throws UsageError where they
/// follow something else.
std::vector<RunWords> split_runs(const std::vector<std::string>& words, const Session& session);

/// find_run() and find_model() of framework/pipeline/runs/run_name.h; of a recipe the run of its
/// one row with a model, or of the row that `row=NAME` or its overrides (`models.NAME.key=value`)
/// name. Throws UsageError listing the rows or seeds, MissingError naming the runs that are there
/// of that row.
FoundRun find_run(const RunWords& words, const std::filesystem::path& runs, Session& session);
FoundRun find_model(const RunWords& words, const std::filesystem::path& runs, Session& session);

/// True if the recipe is there. What is wrong with it is not looked at.
bool is_recipe(const std::string& name, const Session& session);

}  // namespace lvtext
