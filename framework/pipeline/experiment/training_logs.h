// Logs of the trainings of a table, read once for all parts of the report.
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
  std::string label;  ///< label of the row
  int64_t seed = 0;
  bool stands_for_row = false;  ///< the row's first seed
  std::string device, precision;
  std::vector<nlohmann::json> lines;
  /// Unit of each loss term ("vae/kl"): "per sentence", "per token" ...; other values have none.
  std::map<std::string, std::string> units;
};

/// The logs of all finished trainings of the table's rows, in the order of the rows.
std::vector<TrainingLog> read_training_logs(const Experiment& experiment,
                                            const GraphStatus& status);

/// Validation objective and loss terms over updates, at each row's first seed. Terms of the same
/// name share a plot, across phases; terms per sentence and terms per token have separate plots.
std::vector<Plot> curves_of(const std::vector<TrainingLog>& logs);

/// Loss terms in the last logging period of each training, with the model's warnings. Without rows
/// if no training has a complete period.
TextTable health_of(const std::vector<TrainingLog>& logs);

}  // namespace lvtext
