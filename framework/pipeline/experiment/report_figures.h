// From finished nodes to the report's figures and its samples of the latent space.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/experiment/score_table.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// The recipe's figures; what is not finished, or damaged, is missing with its reason.
std::vector<Figure> figures_of(const Experiment& experiment, const FinishedScores& finished,
                               const GraphStatus& status, const Registries& registries);

/// `test` is the test set's sentences, empty where the data set cannot be read. Interpolations and
/// nearest neighbors of every row that has them; no table if none has, or if there are no
/// sentences to show beside them.
std::vector<TextTable> latent_tables(const Experiment& experiment, const GraphStatus& status,
                                     const std::vector<std::string>& test);

}  // namespace lvtext
