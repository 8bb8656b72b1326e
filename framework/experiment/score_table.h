// The scores of a recipe's table: one for each row, metric and seed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/experiment/experiment.h"
#include "framework/graph/executor.h"
#include "framework/report/checks.h"
#include "framework/report/report.h"
#include "framework/report/table.h"
#include "framework/statistics/score.h"

namespace lvtext {

/// Scores of one cell, by the seed of the training; none where no training plays a part.
using CellScores = std::map<std::optional<int64_t>, Score>;

/// What checks read: values, seeds, and resamples that are computed once per cell.
class TableScores : public ScoreSource {
 public:
  std::map<std::string, std::map<std::string, CellScores>> cells;
  /// All scores of a row's first seed, without their statistics per sentence.
  std::map<std::string, std::map<std::string, std::vector<Score>>> all;
  std::vector<std::string> row_ids, metric_ids;

  std::vector<std::string> rows() const override { return row_ids; }
  std::vector<std::string> metrics() const override { return metric_ids; }
  std::optional<double> value(const std::string& row, const std::string& metric) const override;
  std::vector<SeedValue> per_seed(const std::string& row, const std::string& metric) const override;
  int resamples() const override;
  std::optional<double> resampled(const std::string& row, const std::string& metric,
                                  int index) const override;

 private:
  const CellScores* find(const std::string& row, const std::string& metric) const;
  mutable std::map<std::string, std::vector<double>> resampled_;
};

/// Reads the finished scores of the experiment and fills the table with them and the paper's
/// numbers; a cell without a score says why.
void fill_table(const Experiment& experiment, const GraphStatus& status, TableScores& scores,
                Table& table);

/// Every score of every metric: one table for each metric, with a column for each of its scores.
std::vector<TextTable> all_scores(const Experiment& experiment, const TableScores& scores);

}  // namespace lvtext
