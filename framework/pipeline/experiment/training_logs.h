// What the trainings of a table wrote down, read once for all parts of the report.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// The log of one finished training.
struct TrainingLog {
  std::string label;  ///< of its row
  int64_t seed = 0;
  bool stands_for_row = false;  ///< the row's first seed
  std::string device, precision;
  std::vector<nlohmann::json> lines;
  /// "per sentence", "per token" ... of each loss term ("vae/kl"); values that are no terms have
  /// none.
  std::map<std::string, std::string> units;
};

/// The logs of all finished trainings of the table's rows, in their order.
std::vector<TrainingLog> read_training_logs(const Experiment& experiment,
                                            const GraphStatus& status);

/// Validation objective and training terms over updates. Terms of the same name share a plot,
/// whatever phase they belong to; what is counted per sentence and what is counted per token never
/// share an axis. A row's first seed stands for it.
std::vector<Plot> curves_of(const std::vector<TrainingLog>& logs);

/// What the last logging period of each training showed, and what the model had to say about it.
/// No rows if no training was that long.
TextTable health_of(const std::vector<TrainingLog>& logs);

}  // namespace lvtext
