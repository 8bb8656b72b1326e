// Fills the tables of a recipe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/report/report.h"
#include "framework/pipeline/report/table.h"
#include "framework/pipeline/results/cell_scores.h"

namespace lvtext {

/// The scores of a cell for one seed.
struct SeedScores {
  const std::vector<Score>* all = nullptr;  ///< null: there are none
  std::optional<int64_t> step = {};         ///< the chosen checkpoint, if they are of one
};
/// The scores of a node of a cell: at the chosen checkpoint if the cell has a selection for the
/// seed, else those of the selected weights. Without scores, sets `reason`.
SeedScores seed_scores(const FinishedScores& finished, const ExperimentCell& cell,
                       std::optional<int64_t> seed, const std::string& node, std::string& reason);

/// Fills a table with finished scores and the paper's numbers; a cell without a score has a reason.
/// `scores` receives the scores of the cells and, for lines of a single row, those of all other
/// metrics, which checks may name.
Table fill_table(const Experiment& experiment, const FinishedScores& finished,
                 const CheckedTable& table, TableScores& scores);

/// Sets the paper's numbers in the form in which a table or sheet of the recipe has them: "0.50".
void keep_paper_text(const Node* written, Table& table);

/// All scores of all metrics, at each row's first seed; for texts of kept checkpoints at the one
/// that the first table shows. A metric that uses no row has one line.
std::vector<SideTable> all_scores(const Experiment& experiment, const FinishedScores& finished);

}  // namespace lvtext
