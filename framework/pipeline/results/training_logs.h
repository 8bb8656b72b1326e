// Logs of the trainings of a table, read once for all parts of the report.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/core/options/period.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// The log of one finished training.
struct TrainingLog {
  std::string label;  ///< label of the row
  int64_t seed = 0;
  bool stands_for_row = false;  ///< the row's first seed
  std::string device, precision;
  std::vector<nlohmann::json> lines;
  /// Unit of each loss term ("vae/kl"): "per sentence", "per token" ...; other values have none.
  std::map<std::string, std::string> units;
  std::string row = {};  ///< id of the row
  size_t color = 0;      ///< index of the row's color, the same in all charts
  int64_t steps = 0;
  int64_t skipped = 0;                ///< steps without update: a loss or gradient was not finite
  int64_t undefined_validations = 0;  ///< validations whose objective is not finite
  StopRule stop = {};                 ///< length of the training as written
  bool stopped_at_length = false;     ///< not by a condition such as `patience`
  bool has_own_seed = false;  ///< an artifact that sets its seed, such as one of several critics
};

/// The logs of all finished trainings of the table's rows, in the order of the rows.
std::vector<TrainingLog> read_training_logs(const Experiment& experiment,
                                            const GraphStatus& status);

/// The lengths of the rows' trainings: "2000 updates; at most 20 epochs or 3600 seconds". `at
/// most`: a condition such as `patience` ended a training of the row before.
std::string trained_for(const std::vector<TrainingLog>& logs);

/// The logs of finished trainings of other models (language models, classifiers) that skipped steps
/// or had undefined validations.
std::vector<TrainingLog> damaged_judges(const Experiment& experiment, const GraphStatus& status);

/// Validation objective and loss terms over updates, at each row's first seed. Terms of the same
/// name share a plot, across phases; terms per sentence and terms per token have separate plots.
std::vector<Plot> curves_of(const std::vector<TrainingLog>& logs);

/// Updates, skipped steps, and the loss terms in the last logging period of each training (none if
/// it is shorter), with the model's warnings.
TextTable health_of(const std::vector<TrainingLog>& logs);

/// What went wrong in trainings of a row, for its line in a table: "29 of 30 steps were skipped,
/// 3 of 3 validations are undefined". Empty: nothing.
std::string row_warning(const std::vector<TrainingLog>& logs, const std::string& row);

/// Shown before the scores: skipped steps and undefined validations, and
/// trainings that ended while their validation was still falling, with the option to raise (only if
/// `lengths`: a test run is too short by intention).
std::vector<std::string> training_warnings(const std::vector<TrainingLog>& logs, bool lengths);

}  // namespace lvtext
