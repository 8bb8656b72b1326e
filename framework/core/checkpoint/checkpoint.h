// Checkpoint folders: written under a temporary name, synced and renamed; verified before use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/base/lock.h"
#include "framework/core/checkpoint/safetensors.h"

namespace lvtext {

/// Contents of a checkpoint. Kept weights have only `model`.
struct CheckpointContents {
  /// Parameters and buffers under stable dotted names: model.safetensors.
  TensorMap model;
  /// Averaged parameters: ema.safetensors.
  std::optional<TensorMap> ema;
  /// optimizer.<name>.safetensors; keys are "<parameter name>.<moment>".
  std::map<std::string, TensorMap> optimizers;
  /// state.json: state of the trainer and its parts. Null: no file.
  nlohmann::json state;
  /// config.resolved.yaml. Empty: no file.
  std::string config;
  /// Further small files under their own names ([A-Za-z0-9._-]), such as vocabularies.
  std::map<std::string, std::string> extra;
};

/// A verified checkpoint.
struct Checkpoint {
  std::filesystem::path folder;
  int64_t step = 0;
  CheckpointContents contents;
};

/// "step-00012000".
std::string step_folder_name(int64_t step);
/// Inverse of step_folder_name(); none for other names.
std::optional<int64_t> step_of_folder_name(const std::string& name);

/// Writes `contents` to `parent/step-N.partial`, syncs it and renames it to `parent/step-N`,
/// replacing an older folder of that step. At every instant each step-N is complete or absent.
/// Returns the folder. Throws io_error, or DataError for names that cannot be stored.
std::filesystem::path save_checkpoint(const std::filesystem::path& parent, int64_t step,
                                      const CheckpointContents& contents);

/// Loads a checkpoint after verifying every byte against its manifest. Throws DataError naming file
/// and tensor on any difference: a changed, missing, truncated or additional file.
Checkpoint load_checkpoint(const std::filesystem::path& folder);
/// The same checks, one file in memory at a time.
void verify_checkpoint(const std::filesystem::path& folder);
/// Loads only the model's tensors, after the same checks of every file.
TensorMap load_model_tensors(const std::filesystem::path& folder);

/// The folders `step-N` in `parent`, oldest first, without verification. Links and other files are
/// ignored.
std::vector<std::pair<int64_t, std::filesystem::path>> list_checkpoints(
    const std::filesystem::path& parent);

struct RefusedCheckpoint {
  std::filesystem::path folder;
  std::string reason;
};

struct FoundCheckpoint {
  std::optional<Checkpoint> newest;
  /// Newer folders that failed verification, newest first.
  std::vector<RefusedCheckpoint> refused;
};

/// Loads the newest valid checkpoint, falling back to older ones.
FoundCheckpoint find_newest_valid(const std::filesystem::path& parent);

/// Removes partial folders of interrupted saves and removals in `parent` (step-*.partial). `held`
/// proves ownership of the run. Returns the removed names.
std::vector<std::string> sweep_partial(const std::filesystem::path& parent, const FolderLock& held);

/// Checkpoints to keep.
struct Retention {
  /// The newest ones; at least 2, since the newest may turn out to be damaged.
  int64_t keep_last = 2;
  /// Also each step that is a multiple of this; 0: none.
  int64_t every = 0;
  /// Also these steps, such as the best by a metric.
  std::vector<int64_t> best;
};

/// Throws ConfigError, with the reason, for keep_last < 2 or a negative period.
void check_retention(const Retention& retention);

/// Removes checkpoints up to `published` (the latest saved step, never removed) that `retention`
/// does not keep. Folders without a valid manifest do not count as kept. Returns the removed steps.
std::vector<int64_t> prune_checkpoints(const std::filesystem::path& parent,
                                       const Retention& retention, int64_t published);

/// Copies `source` into the tensors of `destination` by name, without gradients. Throws a DataError
/// listing all missing and additional names and mismatched shapes and dtypes; then nothing is
/// copied. `what`: name of the source, such as the file.
void load_into(const TensorMap& destination, const TensorMap& source, const std::string& what);

}  // namespace lvtext
