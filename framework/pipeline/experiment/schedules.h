// Schedules as a run sees them: written for the paper's updates, scaled to the run's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/schema.h"
#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/graph/executor.h"

namespace lvtext {

/// An option that counts updates, as it is written and as the run takes it.
struct ScaledOption {
  std::string row;   ///< label of the row
  std::string path;  ///< "annealing.steps"
  double written = 0;
  double scaled = 0;
};

/// The numbers among `options` whose unit is updates, by their paths.
std::vector<std::pair<std::string, double>> options_in_updates(const Schema& schema,
                                                               const Node& options,
                                                               const std::string& prefix = "");

/// All scaled options of the rows that have `schedule_length`, as their finished trainings scaled
/// them.
std::vector<ScaledOption> scaled_options(const Experiment& experiment, const GraphStatus& status);
/// The same before anything is trained, from the training data. Rows whose training data are not
/// packed yet, so that their updates cannot be counted, go to `unknown`.
std::vector<ScaledOption> planned_schedules(const Experiment& experiment, const GraphStatus& status,
                                            std::vector<std::string>& unknown);

}  // namespace lvtext
