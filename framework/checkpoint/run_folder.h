// The folder of one run: its owner, its logs, its finished mark.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/lock.h"
#include "framework/checkpoint/json_lines.h"

namespace lvtext {

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

  /// log.jsonl: only what is reproducible; a checkpoint records its size and resuming truncates to
  /// it.
  JsonLines& log() { return log_; }
  /// timing.jsonl: rates, memory, clock; never part of a result.
  JsonLines& timing() { return timing_; }

  /// Writes manifest.json, which marks the run as finished: `facts` (identity, recipe, versions)
  /// and size and SHA-256 of `files`, paths relative to the folder. Logs are synced first.
  void mark_finished(const std::vector<std::string>& files, const nlohmann::ordered_json& facts);
  /// Removes the mark, for a run that is trained further.
  void mark_unfinished();

 private:
  std::filesystem::path path_;
  FolderLock lock_;
  std::vector<std::string> swept_;
  JsonLines log_;
  JsonLines timing_;
};

/// The manifest of a finished run; none if the run is not finished. Needs no lock. Throws DataError
/// if it is damaged.
std::optional<nlohmann::ordered_json> read_run_manifest(const std::filesystem::path& run);
/// Compares the files that a finished run's manifest lists with their sizes and hashes; one line
/// per difference, empty if all is well. Throws MissingError if the run is not finished.
std::vector<std::string> verify_run(const std::filesystem::path& run);

}  // namespace lvtext
