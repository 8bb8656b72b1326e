// Listing, selection and removal of checkpoints.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/checkpoint/finished_run.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStepPrefix = "step-";

bool has_valid_manifest(const fs::path& folder) {
  try {
    read_checkpoint_manifest(folder);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Renames the folder before removing it, so that a crash leaves only what sweep_partial() removes.
void remove_checkpoint(const fs::path& folder) {
  const fs::path aside = folder.string() + ".pruned" + kPartialSuffix;
  std::error_code failed;
  fs::remove_all(aside, failed);
  if (::rename(folder.c_str(), aside.c_str()) != 0) {
    throw io_error("rename", folder.string(), errno);
  }
  fs::remove_all(aside, failed);
  if (failed) throw io_error("remove", aside.string(), failed.value());
}

}  // namespace

std::optional<int64_t> step_of_folder_name(const std::string& name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  int64_t step = -1;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + kStepPrefix.size(), end, step);
  if (parsed.ec != std::errc() || parsed.ptr != end || step < 0) return std::nullopt;
  if (step_folder_name(step) != name) return std::nullopt;
  return step;
}

std::vector<std::pair<int64_t, fs::path>> list_checkpoints(const fs::path& parent) {
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code failed;
  if (!fs::is_directory(parent, failed)) return found;
  for (const auto& entry : fs::directory_iterator(parent)) {
    const auto step = step_of_folder_name(entry.path().filename().string());
    if (step && fs::is_directory(entry.symlink_status())) found.emplace_back(*step, entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

FoundCheckpoint find_newest_valid(const fs::path& parent) {
  FoundCheckpoint found;
  auto candidates = list_checkpoints(parent);
  for (auto at = candidates.rbegin(); at != candidates.rend() && !found.newest; ++at) {
    try {
      Checkpoint checkpoint = load_checkpoint(at->second);
      if (checkpoint.step != at->first) {
        throw DataError("'" + at->second.string() + "' contains step " +
                        std::to_string(checkpoint.step) + ": the folder was renamed");
      }
      found.newest = std::move(checkpoint);
    } catch (const Error& error) {
      found.refused.push_back({at->second, error.what()});
    }
  }
  return found;
}

std::vector<std::string> sweep_partial(const fs::path& parent, const FolderLock& held) {
  const fs::path root = fs::weakly_canonical(held.folder());
  const fs::path inner = fs::weakly_canonical(parent);
  const auto differs = std::mismatch(root.begin(), root.end(), inner.begin(), inner.end());
  LVT_ASSERT(differs.first == root.end(), "sweeping checkpoints requires the lock of their run");
  std::vector<std::string> removed;
  std::error_code failed;
  if (!fs::is_directory(parent, failed)) return removed;
  for (const auto& entry : fs::directory_iterator(parent)) {
    const std::string name = entry.path().filename().string();
    const bool is_part = name.starts_with(kStepPrefix) || name.starts_with(kPartPrefix);
    if (is_part && name.ends_with(kPartialSuffix)) removed.push_back(name);
  }
  std::sort(removed.begin(), removed.end());
  for (const auto& name : removed) {
    fs::remove_all(parent / name, failed);
    if (failed) throw io_error("remove", (parent / name).string(), failed.value());
  }
  return removed;
}

void check_retention(const Retention& retention) {
  if (retention.keep_last < 2) {
    throw ConfigError("checkpoints: keep_last is " + std::to_string(retention.keep_last) +
                      "; it must be at least 2, because the newest checkpoint may be damaged and "
                      "the run would then restart from the beginning");
  }
  if (retention.every < 0) {
    throw ConfigError("checkpoints: every is " + std::to_string(retention.every) +
                      "; allowed: 0 (none) or a positive number of steps");
  }
}

std::vector<int64_t> prune_checkpoints(const fs::path& parent, const Retention& retention,
                                       int64_t published) {
  check_retention(retention);
  std::vector<int64_t> removed;
  int64_t kept = 0;
  auto folders = list_checkpoints(parent);
  std::reverse(folders.begin(), folders.end());
  for (const auto& [step, folder] : folders) {
    if (step > published) continue;  // from an interrupted run; replaced when that step is saved
    const bool last = step == published || kept < retention.keep_last;
    if (last && (step == published || has_valid_manifest(folder))) {
      ++kept;
      continue;
    }
    const bool periodic = retention.every > 0 && step % retention.every == 0;
    const bool best =
        std::find(retention.best.begin(), retention.best.end(), step) != retention.best.end();
    if (periodic || best) continue;
    remove_checkpoint(folder);
    removed.push_back(step);
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace lvtext
