#include <filesystem>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/log.h"
#include "trainers/host.h"

namespace lvtext {

FolderHost::FolderHost(RunFolder& folder, const Retention& retention, std::string config,
                       ProgressCallback callback)
    : folder_(folder),
      retention_(retention),
      config_(std::move(config)),
      callback_(std::move(callback)) {
  check_retention(retention_);
  make_folders(folder_.checkpoints());
  if (std::filesystem::exists(folder_.path() / "average")) {
    sweep_partial(folder_.path() / "average", folder_.lock());
  }
  warn_on_failure("the curves", [this] { curves_.emplace(folder_.path(), "train"); });
}

void FolderHost::warn_on_failure(const std::string& what, const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    if (!warned_) {
      log_warning(what + " could not be written; training continues: " + error.what());
    }
    warned_ = true;
  }
}

std::optional<Checkpoint> FolderHost::resume() {
  FoundCheckpoint found = find_newest_valid(folder_.checkpoints());
  for (const auto& refused : found.refused) {
    log_warning("ignoring " + refused.folder.string() + ": " + refused.reason);
  }
  std::string log;
  if (found.newest) log = found.newest->contents.extra[kLogFile];
  if (!folder_.log().restore(log)) {
    log_warning("'" + folder_.log().path().string() +
                "' was missing, truncated or modified; restored it from the checkpoint");
  }
  warn_on_failure("the curves", [&] {
    if (curves_) curves_->restart(found.newest ? found.newest->step + 1 : 1);
  });
  return std::move(found.newest);
}

void FolderHost::save(int64_t step, const CheckpointContents& contents) {
  folder_.log().sync();
  CheckpointContents whole = contents;
  whole.config = config_;
  whole.extra[kLogFile] = folder_.log().content();
  save_checkpoint(folder_.checkpoints(), step, whole);
  prune_checkpoints(folder_.checkpoints(), retention_, step);
  warn_on_failure("the curves", [this] {
    if (curves_) curves_->flush();
  });
}

void FolderHost::save_weights(const std::string& set, int64_t step, const TensorMap& weights) {
  make_folders(folder_.path() / set);
  CheckpointContents contents;
  contents.model = weights;
  save_checkpoint(folder_.path() / set, step, contents);
}

TensorMap FolderHost::load_weights(const std::string& set, int64_t step) {
  const auto folder = folder_.path() / set / step_folder_name(step);
  if (!std::filesystem::exists(folder)) {
    throw MissingError(folder.string() + ": weights are missing; train this run again");
  }
  return load_model_tensors(folder);
}

void FolderHost::keep_weights(const std::string& set, const std::vector<int64_t>& keep) {
  const auto parent = folder_.path() / set;
  if (!std::filesystem::exists(parent)) return;
  for (const auto& [step, folder] : list_checkpoints(parent)) {
    if (std::find(keep.begin(), keep.end(), step) != keep.end()) continue;
    // Rename to a name that sweep_partial() removes, so that a partly removed folder is never used.
    const auto doomed = std::filesystem::path(folder.string() + ".partial");
    std::filesystem::rename(folder, doomed);
    std::filesystem::remove_all(doomed);
  }
}

void FolderHost::log(const nlohmann::ordered_json& line) {
  folder_.log().append(line);
}

void FolderHost::timing(const nlohmann::ordered_json& line) {
  warn_on_failure("timing.jsonl", [&] { folder_.timing().append(line); });
}

void FolderHost::scalar(const std::string& name, int64_t step, double value) {
  warn_on_failure("the curves", [&] {
    if (curves_) curves_->scalar(name, step, value);
  });
}

std::string FolderHost::save_diagnostics(const nlohmann::ordered_json& diagnostics) {
  const auto path = folder_.path() / "nonfinite.json";
  nlohmann::ordered_json json = {{"schema", "lvtext.nonfinite/1"}};
  json.update(diagnostics);
  write_file_atomic(path, json.dump(2) + "\n");
  return path.string();
}

void FolderHost::progress(const TrainerState& state, const TrainerMetrics& metrics) {
  if (callback_) callback_(state, metrics);
}

}  // namespace lvtext
