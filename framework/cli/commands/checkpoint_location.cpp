#include "framework/cli/commands/checkpoint_location.h"

#include "framework/cli/run_argument.h"
#include "framework/cli/session.h"
#include "framework/core/base/error.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/store/node_parts.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

bool is_within_run(const fs::path& path) {
  for (fs::path run = path.parent_path(); run.has_filename(); run = run.parent_path()) {
    if (is_run(run)) return true;
  }
  return false;
}

/// The folder that is given, or that of the run that is named.
fs::path folder_of(const RunWords& given, Session& session) {
  std::error_code failed;
  if (given.overrides.empty() && fs::is_directory(given.name, failed)) return given.name;
  const std::string missing = "there is no folder '" + given.name + "'";
  if (is_within_run(fs::path(given.name).lexically_normal())) {
    throw MissingError(missing +
                       "; give a checkpoint (.../checkpoints/step-N, .../snapshots/step-N) or its "
                       "run");
  }
  try {
    return find_model(given, session.runs, session).folder;
  } catch (const MissingError& error) {
    if (!given.overrides.empty()) throw;
    throw MissingError(missing + ", and " + error.what());
  }
}

/// Throws DataError for a run without weights of its own, such as scores.
void check_is_model(const fs::path& folder) {
  const FoundRun run = read_run(folder);
  if (run.is_model() || run.state == RunState::kDamaged) return;
  throw DataError(
      "'" + folder.string() + "' is not a training but a node of kind '" + run.kind +
      "', so it has no weights; `lvtext runs ls --kind train` lists the trained models");
}

fs::path checkpoint_in(const fs::path& folder) {
  std::error_code failed;
  if (fs::exists(folder / "node.json", failed)) {
    check_is_model(folder);
    const auto manifest = read_run_manifest(folder);
    const auto metadata =
        manifest ? manifest->value("metadata", nlohmann::ordered_json()) : nlohmann::ordered_json();
    if (metadata.is_object() && metadata.contains("selected_step")) {
      const auto step = metadata["selected_step"].get<int64_t>();
      check_kept(folder, step);
      return folder / "snapshots" / step_folder_name(step);
    }
  }
  for (const fs::path& parent : {folder / "checkpoints", folder / "snapshots", folder}) {
    const auto found = list_checkpoints(parent);
    if (!found.empty()) return found.back().second;
  }
  return folder;
}

}  // namespace

std::vector<fs::path> checkpoints_of(const std::vector<std::string>& words, size_t least,
                                     size_t most, Session& session) {
  const auto given = split_runs(words, session);
  if (given.size() < least || given.size() > most) {
    throw UsageError(
        "FOLDER: expected at " +
        (given.size() < least ? "least " + std::to_string(least) : "most " + std::to_string(most)) +
        ", got " + std::to_string(given.size()));
  }
  std::vector<fs::path> found;
  for (const RunWords& each : given) found.push_back(checkpoint_in(folder_of(each, session)));
  return found;
}

fs::path checkpoint_of(const std::vector<std::string>& words, Session& session) {
  return checkpoints_of(words, 1, 1, session).front();
}

}  // namespace lvtext
