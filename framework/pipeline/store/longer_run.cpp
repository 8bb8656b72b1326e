#include "framework/pipeline/store/longer_run.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/log.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/checkpoint/finished_run.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

struct ShorterRun {
  fs::path folder;
  int64_t steps = 0;
};

/// Returns the longest finished run with at most `planned` updates.
std::optional<ShorterRun> find_shorter(const std::vector<fs::path>& finished, int64_t planned) {
  std::optional<ShorterRun> best;
  for (const fs::path& folder : finished) {
    try {
      const auto steps = FinishedRun(folder).metadata().at("steps").get<int64_t>();
      if (steps <= planned && (!best || steps > best->steps)) best = ShorterRun{folder, steps};
    } catch (const Error&) {  // damaged, or removed in the meantime
    }
  }
  return best;
}

void copy_weights(const fs::path& from, const fs::path& to) {
  for (const auto& [step, weights] : list_checkpoints(from)) {
    CheckpointContents contents;
    contents.model = load_model_tensors(weights);
    make_folders(to);
    save_checkpoint(to, step, contents);
  }
}

}  // namespace

std::optional<fs::path> take_over_shorter_run(RunFolder& folder,
                                              const std::vector<fs::path>& finished,
                                              int64_t planned, const std::string& period) {
  if (!list_checkpoints(folder.checkpoints()).empty()) return std::nullopt;
  const auto shorter = find_shorter(finished, planned);
  if (!shorter) return std::nullopt;
  try {
    const FoundCheckpoint found = find_newest_valid(shorter->folder / "checkpoints");
    if (!found.newest || found.newest->step != shorter->steps) return std::nullopt;
    if (!period.empty() && !keeps_from_start(shorter->folder / "checkpoints", period)) {
      return std::nullopt;
    }
    // Copy the checkpoint, which contains the log, last: if the process is killed earlier, the copy
    // starts over.
    for (const char* set : {"snapshots", "average"}) {
      copy_weights(shorter->folder / set, folder.path() / set);
    }
    make_folders(folder.checkpoints());
    save_checkpoint(folder.checkpoints(), found.newest->step, found.newest->contents);
  } catch (const DataError& damage) {
    log_warning("not resuming from '" + shorter->folder.string() + "': " + damage.what());
    return std::nullopt;
  }
  return shorter->folder;
}

bool keeps_from_start(const fs::path& checkpoints, const std::string& period) {
  const auto saved = list_checkpoints(checkpoints);
  if (saved.empty()) return true;
  try {
    const std::string state = read_file(saved.back().second / kStateFile);
    return nlohmann::json::parse(state).value("kept_every", "") == period;
  } catch (const Error&) {
    return true;
  } catch (const nlohmann::json::exception&) {
    return true;
  }
}

}  // namespace lvtext
