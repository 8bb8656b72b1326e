// Scaling of schedules from the paper's number of updates to that of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/schema.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/plan/experiment.h"

namespace lvtext {

/// An option in updates: its value in the recipe and its scaled value.
struct ScaledOption {
  std::string row;   ///< label of the row
  std::string path;  ///< "annealing.steps"
  double written = 0;
  double scaled = 0;
};

/// The numbers in `options`, with all values, that are in use and have the unit updates, by path.
std::vector<std::pair<std::string, double>> options_in_updates(const Schema& schema,
                                                               const Node& options,
                                                               const std::string& prefix = "");

/// The scaled options of all rows with `schedule_length`, from their finished trainings.
std::vector<ScaledOption> scaled_options(const Experiment& experiment, const GraphStatus& status);
/// The same before training, from the data of each row. Rows whose data are not packed yet (their
/// updates cannot be counted) are added to `unknown`.
std::vector<ScaledOption> planned_schedules(const Experiment& experiment, const GraphStatus& status,
                                            std::vector<std::string>& unknown);

}  // namespace lvtext
