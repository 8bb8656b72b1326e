// The folder of one run: its owner, its logs, its finished mark.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/base/lock.h"
#include "framework/core/checkpoint/json_lines.h"

namespace lvtext {

/// The reproducible log of a training, in its folder and in its checkpoints.
inline constexpr const char* kLogFile = "log.jsonl";

/// A run's folder, owned by this process while the object lives: created if needed, locked, and
/// swept of what a killed owner left half-written.
class RunFolder {
 public:
  /// Throws Interrupted (75) naming pid and host if another live process owns it, or io_error.
  explicit RunFolder(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path snapshots() const { return path_ / "snapshots"; }
  const FolderLock& lock() const { return lock_; }
  /// Half-written files and folders of a dead owner that were removed.
  const std::vector<std::string>& swept() const { return swept_; }

  /// log.jsonl: only what is reproducible; a checkpoint holds a copy, to which resuming goes back.
  JsonLines& log() { return log_; }
  /// timing.jsonl: rates, memory, clock; never part of a result.
  JsonLines& timing() { return timing_; }

  /// Writes manifest.json, which marks the run as finished: `facts` (identity, recipe, versions)
  /// and size and SHA-256 of `files`, paths relative to the folder. Logs are synced first.
  void mark_finished(const std::vector<std::string>& files, const nlohmann::ordered_json& metadata);

 private:
  std::filesystem::path path_;
  FolderLock lock_;
  std::vector<std::string> swept_;
  JsonLines log_;
  JsonLines timing_;
};

}  // namespace lvtext
