// From finished nodes to the report's figures and its samples of the latent space.
#pragma once

#include <string>
#include <vector>

#include "framework/experiment/experiment.h"
#include "framework/graph/executor.h"
#include "framework/report/report.h"

namespace lvtext {

/// The recipe's figures; a panel whose nodes are not finished says why. `test` is the test set's
/// sentences.
std::vector<Figure> figures_of(const Experiment& experiment, const GraphStatus& status,
                               const std::vector<std::string>& test);

/// Interpolations and nearest neighbours of every row that has them; no table if none has.
std::vector<TextTable> latent_tables(const Experiment& experiment, const GraphStatus& status,
                                     const std::vector<std::string>& test);

}  // namespace lvtext
