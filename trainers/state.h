// What a checkpoint holds besides tensors, as JSON.
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

/// Everything of a run that is neither a parameter nor a moment.
struct RunState {
  Progress progress;
  std::map<std::string, Cursor> cursors;  ///< by stream
  nlohmann::json means;                   ///< of the logging period under way
  std::vector<int64_t> skipped;           ///< recent skipped steps
  int64_t skipped_total = 0;
  bool validation_due = false;    ///< interrupted before or in a validation
  double seconds = 0;             ///< of training so far
  std::vector<int64_t> kept;      ///< steps of kept checkpoints
  std::string kept_every;         ///< how often, from the start on; empty: not all of them
  std::vector<int64_t> averaged;  ///< steps whose mean is selected
  int64_t threads = 0;
  std::string device;
};

nlohmann::json to_json(const RunState& state);
/// Throws DataError if a field is missing, of another type or of a newer version.
RunState run_state_from_json(const nlohmann::json& json);

/// Puts other values into parameters while it lives: averaged ones, for validation and to be kept.
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
