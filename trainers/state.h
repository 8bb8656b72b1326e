// The non-tensor state of a checkpoint (state.json).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/model/schedule.h"
#include "trainers/batch_prefetcher.h"
#include "trainers/optimizer.h"
#include "trainers/trainer.h"

namespace lvtext {

/// The state of a run besides parameters and optimizer moments.
struct RunState {
  Progress progress;
  std::map<std::string, Cursor> cursors;  ///< by stream
  nlohmann::json means;                   ///< LogMeans of the current logging period
  std::vector<int64_t> skipped;           ///< recent skipped steps
  int64_t skipped_total = 0;
  bool validation_due = false;    ///< interrupted before or during a validation
  double seconds = 0;             ///< training time so far
  std::vector<int64_t> kept;      ///< steps of kept checkpoints
  std::string kept_every;         ///< their interval since step 0; empty: some are missing
  std::vector<int64_t> averaged;  ///< steps whose mean is selected
  int64_t threads = 0;
  std::string device;
};

nlohmann::json to_json(const RunState& state);
/// Throws DataError if a field is missing or has a wrong type, or if the version is newer.
RunState run_state_from_json(const nlohmann::json& json);

/// Replaces parameter values for its lifetime, such as by averages for validation or saving.
class BorrowedWeights {
 public:
  /// `values` by parameter name; may be empty.
  BorrowedWeights(const NamedTensors& parameters, const TensorMap& values);
  ~BorrowedWeights();
  BorrowedWeights(const BorrowedWeights&) = delete;
  BorrowedWeights& operator=(const BorrowedWeights&) = delete;

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> own_;
};

/// Copies of all tensors, detached.
TensorMap copy_of(const TensorMap& tensors);

}  // namespace lvtext
