// Figures of the report and its samples of the latent space, from finished nodes.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/report/report.h"
#include "framework/pipeline/results/filled_table.h"

namespace lvtext {

/// The recipe's figures. Unfinished or damaged parts are missing, with the reason.
std::vector<Figure> figures_of(const Experiment& experiment, const FinishedScores& finished,
                               const GraphStatus& status, const Registries& registries);

/// The first texts of records that rows reconstruct, read once for each split.
class ReconstructedTexts {
 public:
  ReconstructedTexts(const Experiment& experiment, const GraphStatus& status)
      : experiment_(experiment), status_(status) {}
  /// Of the first seed of a row; empty without reconstructions, or if they are not of the records
  /// of a finished source.
  const std::vector<std::string>& of(const ExperimentRow& row);

 private:
  const Experiment& experiment_;
  const GraphStatus& status_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> texts_;
};

/// Interpolations and nearest neighbors of every row that has them. Returns no table if no row has
/// them or their sentences cannot be read.
std::vector<TextTable> latent_tables(const Experiment& experiment, const GraphStatus& status,
                                     ReconstructedTexts& texts);

}  // namespace lvtext
