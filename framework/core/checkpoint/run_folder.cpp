#include "framework/core/checkpoint/run_folder.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

fs::path created(const fs::path& path) {
  make_folders(path);
  return path;
}

/// Removes temporary files and partial checkpoints of a killed owner.
std::vector<std::string> sweep(const RunFolder& run) {
  std::vector<std::string> removed;
  for (const auto& entry : fs::directory_iterator(run.path())) {
    const std::string name = entry.path().filename().string();
    if (name.find(".tmp-") != std::string::npos && fs::is_regular_file(entry.symlink_status())) {
      removed.push_back(name);
    }
  }
  std::error_code failed;
  for (const auto& name : removed) {
    fs::remove(run.path() / name, failed);
    if (failed) throw io_error("remove", (run.path() / name).string(), failed.value());
  }
  for (const auto& folder : {run.checkpoints(), run.snapshots()}) {
    for (const auto& name : sweep_partial(folder, run.lock())) {
      removed.push_back(folder.filename() / name);
    }
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace

RunFolder::RunFolder(const fs::path& path)
    : path_(created(path)),
      lock_(path),
      leftovers_(sweep(*this)),
      log_(path / kLogFile, "lvtext.log/1"),
      timing_(path / kTimingFile, "lvtext.timing/1") {}

void RunFolder::mark_finished(const std::vector<std::string>& files,
                              const nlohmann::ordered_json& metadata) {
  log_.sync();
  timing_.sync();
  nlohmann::ordered_json fields = metadata;
  const std::string log = log_.content();
  const std::string saved = saved_log(path_);
  if (!saved.empty() && log.size() > saved.size() && log.starts_with(saved)) {
    fields[kLogEnd] = log.substr(saved.size());
  }
  write_run_manifest(path_, files, fields);
}

}  // namespace lvtext
