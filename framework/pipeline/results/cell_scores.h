// The scores of a recipe's tables, one per row, metric and seed, and of its figures.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/statistics/score.h"
#include "framework/pipeline/check/checked_figures.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/nodes/selection.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/report/checks.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// Scores of one cell by the seed of the training; the key is none without a training.
using CellScores = std::map<std::optional<int64_t>, Score>;

/// The finished scores of an experiment by node, and the reasons why other scoring nodes have none.
struct FinishedScores {
  std::map<std::string, std::vector<Score>> scores;
  /// At each kept checkpoint: node -> step.
  std::map<std::string, std::map<int64_t, std::vector<Score>>> at_checkpoints;
  std::map<std::string, std::string> reasons;
  std::map<std::string, Selection> selections;  ///< by node
};
FinishedScores read_finished_scores(const Experiment& experiment, const GraphStatus& status);

/// The value of a line and a column; null if there is none.
template <class T>
const T* find_at(const std::map<std::string, std::map<std::string, T>>& lines,
                 const std::string& line, const std::string& column) {
  const auto row = lines.find(line);
  if (row == lines.end()) return nullptr;
  const auto value = row->second.find(column);
  return value == row->second.end() ? nullptr : &value->second;
}

/// The scores that the checks of one table read: values, seeds, and resamples, which are computed
/// once per cell. Lines of other tables are named "table:line".
class TableScores : public ScoreSource {
 public:
  std::map<std::string, std::map<std::string, CellScores>> cells;  ///< line -> column
  /// Steps of the kept checkpoints of a cell's scores: line -> column -> seed.
  std::map<std::string, std::map<std::string, std::map<std::optional<int64_t>, int64_t>>> steps;
  std::vector<std::string> row_ids, metric_ids;
  /// Runs that `aggregate` excludes from a line, with the reasons.
  struct Dropped {
    std::string line;
    std::optional<int64_t> seed;
    std::string reason;
  };
  std::vector<Dropped> dropped;
  /// Notes on scores: (line, note) -> columns.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> notes;
  /// The notes as text: one for all lines that have the same note on the same columns.
  std::vector<std::string> merged_notes() const;
  /// All tables of the report by id, for checks that name cells of other tables; may be null.
  const std::map<std::string, TableScores>* others = nullptr;

  /// Lines of this table, then those of other tables.
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

/// The score of a figure's metric among those of a node; null with `reason` if there is none or it
/// is not finite.
const Score* figure_score(const Experiment& experiment, const FigureMetric& metric,
                          const std::vector<Score>& scores, std::optional<int64_t> line,
                          std::string& reason);

/// All scores of all metrics at each kept checkpoint.
std::vector<CheckpointScore> checkpoint_scores(const Experiment& experiment,
                                               const FinishedScores& finished);

}  // namespace lvtext
