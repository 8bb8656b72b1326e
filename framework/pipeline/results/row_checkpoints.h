// Data of a figure from the kept checkpoints of a row's training.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/results/filled_table.h"

namespace lvtext {

/// Finished results of an experiment.
struct FinishedResults {
  const Experiment& experiment;
  const FinishedScores& scores;
  const GraphStatus& status;
  const Registries& registries;
};

struct RowCheckpoints {
  std::vector<FigureCheckpoint> checkpoints;  ///< in the order of their steps
  std::string reason;                         ///< why `checkpoints` is empty
};

/// Scores by the figure's metrics, and the inputs of the figure, at each kept checkpoint of a row's
/// first seed. Empty for rows whose results were not computed for each checkpoint.
RowCheckpoints row_checkpoints(const FinishedResults& results, const ExperimentPanel& panel,
                               const CheckedFigure& figure);

}  // namespace lvtext
