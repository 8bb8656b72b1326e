// Checkpoint folders: written to a temporary name, synced and renamed; verified before use.
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

/// Contents of a checkpoint. Checkpoints that only keep weights have `model` only.
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
  /// Additional small files by name ([A-Za-z0-9._-]), such as vocabularies.
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
/// replacing an existing folder of that step. At any time, step-N is either complete or absent.
/// Returns the folder. Throws io_error, or DataError for names that cannot be stored.
std::filesystem::path save_checkpoint(const std::filesystem::path& parent, int64_t step,
                                      const CheckpointContents& contents);

/// Reads a checkpoint and verifies every byte against its manifest. Throws DataError with the file
/// and tensor for any difference: a modified, missing, truncated or additional file.
Checkpoint load_checkpoint(const std::filesystem::path& folder);
/// Performs the same checks with one file in memory at a time.
void verify_checkpoint(const std::filesystem::path& folder);
/// Returns the model's tensors only, after the same checks of all files.
TensorMap load_model_tensors(const std::filesystem::path& folder);

/// The folders `step-N` in `parent`, oldest first; not verified. Ignores symbolic links and other
/// files.
std::vector<std::pair<int64_t, std::filesystem::path>> list_checkpoints(
    const std::filesystem::path& parent);

struct RefusedCheckpoint {
  std::filesystem::path folder;
  std::string reason;
};

struct FoundCheckpoint {
  std::optional<Checkpoint> newest;
  /// Newer folders that failed verification, newest first, to be reported to the user once.
  std::vector<RefusedCheckpoint> refused;
};

/// Loads the newest checkpoint that passes verification, falling back to older ones.
FoundCheckpoint find_newest_valid(const std::filesystem::path& parent);

/// Removes the remains of interrupted saves and removals from `parent` (step-*.partial and
/// part-*.partial). `held`: the lock of the run that contains `parent`. Returns the removed names.
std::vector<std::string> sweep_partial(const std::filesystem::path& parent, const FolderLock& held);

/// Specifies which checkpoints to keep.
struct Retention {
  /// Number of newest checkpoints to keep; at least 2, since the newest may be damaged.
  int64_t keep_last = 2;
  /// Also keep steps that are multiples of this; 0: none.
  int64_t every = 0;
  /// Also keep these steps, such as the best by a metric.
  std::vector<int64_t> best;
};

/// Throws ConfigError for keep_last < 2 or a negative period.
void check_retention(const Retention& retention);

/// Removes the checkpoints of steps up to `published` that `retention` does not keep. `published`,
/// the step saved last, is never removed. Folders without a valid manifest do not count towards
/// keep_last. Returns the removed steps.
std::vector<int64_t> prune_checkpoints(const std::filesystem::path& parent,
                                       const Retention& retention, int64_t published);

/// Throws one DataError that lists the tensors with values that are NaN or infinite. `what`: the
/// source in messages, such as the file.
void check_finite(const TensorMap& tensors, const std::string& what);

/// Copies `source` into `destination`'s tensors by name, in place, without gradient. If there are
/// missing or extra names, tensors of different shape or dtype, or values that are not finite,
/// throws one DataError that lists them all, without copying anything. `what`: the source in
/// messages.
void load_into(const TensorMap& destination, const TensorMap& source, const std::string& what);

}  // namespace lvtext
