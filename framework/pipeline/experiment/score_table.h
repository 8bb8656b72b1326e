// The scores of a recipe's table: one for each row, metric and seed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/statistics/score.h"
#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/nodes/choice.h"
#include "framework/pipeline/report/checks.h"
#include "framework/pipeline/report/report.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {

/// Scores of one cell, by the seed of the training; none where no training plays a part.
using CellScores = std::map<std::optional<int64_t>, Score>;

/// The finished scores of an experiment, all of each evaluator's, by node; of other nodes that
/// score why they have none.
struct FinishedScores {
  std::map<std::string, std::vector<Score>> scores;
  /// At each kept checkpoint: node -> step.
  std::map<std::string, std::map<int64_t, std::vector<Score>>> at_checkpoints;
  std::map<std::string, std::string> reasons;
  std::map<std::string, MadeChoice> choices;  ///< by node
};
FinishedScores read_finished_scores(const Experiment& experiment, const GraphStatus& status);

/// What the checks of one table read: values, seeds, and resamples that are computed once per cell.
/// Lines of other tables are named "table:line".
class TableScores : public ScoreSource {
 public:
  std::map<std::string, std::map<std::string, CellScores>> cells;  ///< line -> column
  /// The steps of the kept checkpoints that a cell's scores are of: line -> column -> seed.
  std::map<std::string, std::map<std::string, std::map<std::optional<int64_t>, int64_t>>> steps;
  std::vector<std::string> row_ids, metric_ids;
  /// Runs that `aggregate` leaves out of a line, and why.
  struct Dropped {
    std::string line;
    std::optional<int64_t> seed;
    std::string reason;
  };
  std::vector<Dropped> dropped;
  /// The tables of the report by id, where checks name cells of others; may be nullptr.
  const std::map<std::string, TableScores>* others = nullptr;

  /// Own lines, then those of other tables.
  std::vector<std::string> rows() const override;
  std::vector<std::string> metrics() const override;
  std::optional<double> value(const std::string& row, const std::string& metric) const override;
  std::vector<SeedValue> per_seed(const std::string& row, const std::string& metric) const override;
  int resamples() const override;
  std::optional<double> resampled(const std::string& row, const std::string& metric,
                                  int index) const override;

 private:
  const CellScores* find(const std::string& row, const std::string& metric) const;
  mutable std::map<std::string, std::vector<double>> resampled_;
};

/// Fills a table with finished scores and the paper's numbers; a cell without a score says why.
/// `scores` gets what stands in the cells, and of lines that are one row every other metric too,
/// which checks may name.
Table fill_table(const Experiment& experiment, const FinishedScores& finished,
                 const CheckedTable& table, TableScores& scores);

/// Every score of every metric, of each row's first seed.
std::vector<MetricScores> all_scores(const Experiment& experiment, const FinishedScores& finished);

}  // namespace lvtext
