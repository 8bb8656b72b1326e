// The folder of one run: lock, logs and completion.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/base/lock.h"
#include "framework/core/checkpoint/json_lines.h"

namespace lvtext {

/// The reproducible log of a training, stored in its folder and its checkpoints.
inline constexpr const char* kLogFile = "log.jsonl";
/// Rates, memory and clock of a training.
inline constexpr const char* kTimingFile = "timing.jsonl";

/// A run's folder, locked by this process for the lifetime of the object. Created if needed;
/// partially written files of a killed owner are removed.
class RunFolder {
 public:
  /// Throws Interrupted (exit code 75) with pid and host if another live process owns the folder,
  /// or io_error.
  explicit RunFolder(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path snapshots() const { return path_ / "snapshots"; }
  const FolderLock& lock() const { return lock_; }
  /// Removed partial files and folders of a killed owner.
  const std::vector<std::string>& leftovers() const { return leftovers_; }

  /// log.jsonl: reproducible values only. Checkpoints have a copy, which is restored on resuming.
  JsonLines& log() { return log_; }
  /// timing.jsonl: throughput, memory, time; not part of results.
  JsonLines& timing() { return timing_; }

  /// Writes manifest.json, which marks the run as finished: `metadata` (identity, recipe, versions)
  /// and size and SHA-256 of `files`, paths relative to the folder. Syncs the logs first.
  void mark_finished(const std::vector<std::string>& files, const nlohmann::ordered_json& metadata);

 private:
  std::filesystem::path path_;
  FolderLock lock_;
  std::vector<std::string> leftovers_;
  JsonLines log_;
  JsonLines timing_;
};

}  // namespace lvtext
