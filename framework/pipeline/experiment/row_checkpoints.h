// What the kept checkpoints of a row's training give a figure.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/experiment/score_table.h"
#include "framework/pipeline/figures/figure_data.h"

namespace lvtext {

/// Where finished results are found.
struct FinishedResults {
  const Experiment& experiment;
  const FinishedScores& scores;
  const GraphStatus& status;
  const Registries& registries;
};

struct RowCheckpoints {
  std::vector<FigureCheckpoint> checkpoints;  ///< in the order of their steps
  std::string reason;                         ///< why there are none
};

/// The scores by the figure's metrics, and what fills its inputs, of a row's first seed at each
/// checkpoint that its training keeps. Rows whose results were not computed for each checkpoint
/// have none.
RowCheckpoints row_checkpoints(const FinishedResults& results, const ExperimentPanel& row,
                               const CheckedFigure& figure);

}  // namespace lvtext
