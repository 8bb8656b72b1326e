#include "framework/pipeline/runs/leftovers.h"

#include <algorithm>
#include <optional>

#include "framework/core/base/disk.h"
#include "framework/core/base/error.h"
#include "framework/core/base/lock.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/pipeline/runs/run_relations.h"
#include "framework/pipeline/runs/run_scan.h"
#include "framework/pipeline/store/kept_weights.h"
#include "framework/pipeline/store/run_copier.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

void remove_path(const fs::path& path) {
  std::error_code failed;
  fs::remove_all(path, failed);
  if (failed) throw io_error("remove", path.string(), failed.value());
}

/// Removes a folder that this process owns. The lock removes its own file last, since on NFS an
/// open file cannot be removed, only renamed.
void remove_owned(const fs::path& folder, std::optional<FolderLock>& owned) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != ".flock") remove_path(entry.path());
  }
  owned.reset();
  remove_path(folder);
}

uint64_t bytes_of(const fs::path& path) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) return folder_bytes(path);
  const uint64_t size = fs::file_size(path, failed);
  return failed ? 0 : size;
}

/// True for `<label>.s<seed>-<hash8>`, the names of nodes' folders.
bool is_node_name(const std::string& name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string::npos || name.size() - dash - 1 != 8) return false;
  const size_t seed = name.rfind(".s", dash);
  return seed != std::string::npos && seed + 2 < dash &&
         name.find_first_not_of("0123456789abcdef", dash + 1) == std::string::npos &&
         name.find_first_not_of("-0123456789", seed + 2) >= dash;
}

bool is_half_written(const std::string& name) {
  return name.find(".tmp-") != std::string::npos || name.ends_with(".partial");
}

void add_leftovers_of_finished(const FoundRun& run, const std::vector<FoundRun>& all,
                               std::vector<Leftover>& found) {
  std::error_code failed;
  if (run.kind == "train") {
    std::vector<fs::path> readers;
    for (const FoundRun* each : dependents(run, all)) readers.push_back(each->folder);
    for (const int64_t step : removable_steps(run.folder, readers)) {
      const fs::path weights = run.folder / "snapshots" / step_folder_name(step);
      found.push_back({weights, run.folder, "weights kept until scored", bytes_of(weights), step});
    }
  }
  for (const char* state : {"checkpoints", "average"}) {
    const fs::path folder = run.folder / state;
    if (fs::is_directory(folder, failed)) {
      found.push_back({folder, run.folder, "state for resuming a finished run", bytes_of(folder)});
    }
  }
  for (const fs::path& parent : {run.folder, run.folder / "snapshots"}) {
    for (const auto& entry : fs::directory_iterator(parent, failed)) {
      if (is_half_written(entry.path().filename().string())) {
        found.push_back({entry.path(), run.folder, "partly written by a killed process",
                         bytes_of(entry.path())});
      }
    }
  }
}

}  // namespace

std::vector<Leftover> find_leftovers(const fs::path& runs) {
  std::vector<Leftover> found;
  const std::vector<FoundRun> all = find_runs(runs);
  for (const FoundRun& run : all) {
    if (run.state == RunState::kInterrupted || run.state == RunState::kFailed) {
      found.push_back({run.folder, run.folder,
                       enum_name(run.state) + "; its recipe resumes it from the newest checkpoint",
                       run.bytes()});
    } else if (run.finished()) {
      add_leftovers_of_finished(run, all, found);
    }
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(runs, failed)) {
    const fs::path& folder = entry.path();
    const std::string name = folder.filename().string();
    const bool incoming = name == kIncomingFolder;
    if ((!incoming && !is_node_name(name)) || !entry.is_directory(failed)) continue;
    if (is_run(folder) || is_owned(folder)) continue;
    found.push_back({folder, folder,
                     incoming ? "partly copied by a killed process" : "never started",
                     bytes_of(folder)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Leftover& a, const Leftover& b) { return a.path < b.path; });
  return found;
}

bool remove_leftover(const Leftover& leftover) {
  try {
    std::optional<FolderLock> owned(std::in_place, leftover.run);
    std::error_code failed;
    const bool whole_run = leftover.path == leftover.run;
    if (whole_run && fs::exists(leftover.run / "manifest.json", failed)) return false;
    if (leftover.step) {
      remove_weights(leftover.run, *leftover.step);
    } else {
      whole_run ? remove_owned(leftover.path, owned) : remove_path(leftover.path);
    }
    return true;
  } catch (const Interrupted&) {
    return false;
  }
}

void remove_run(const fs::path& folder) {
  std::optional<FolderLock> owned(std::in_place, folder);
  remove_path(folder / "manifest.json");
  remove_owned(folder, owned);
}

}  // namespace lvtext
