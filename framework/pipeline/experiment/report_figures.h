// Figures of the report and its samples of the latent space, from finished nodes.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/experiment/score_table.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// The recipe's figures. Unfinished or damaged parts are missing, with the reason.
std::vector<Figure> figures_of(const Experiment& experiment, const FinishedScores& finished,
                               const GraphStatus& status, const Registries& registries);

/// Interpolations and nearest neighbors of every row that has them. `test` has the sentences of the
/// test set; empty if the data set cannot be read. Returns no table if no row has them or `test` is
/// empty.
std::vector<TextTable> latent_tables(const Experiment& experiment, const GraphStatus& status,
                                     const std::vector<std::string>& test);

}  // namespace lvtext
