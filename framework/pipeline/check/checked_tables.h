// The tables of a recipe: the score of each cell.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {

struct CheckedRecipe;
class Names;

struct TableColumn {
  std::string id;                ///< "bleu"; in a block "wt2_sp"
  std::string block;             ///< value of the block's axis; empty: not in a block
  std::string metric;            ///< metric of `evaluate`
  std::string score;             ///< score of the metric; empty: its default
  std::string reason;            ///< why it has no numbers; empty: it may have some
  SourceLocation location;       ///< location in the recipe
  bool shows_selection = false;  ///< shows the selection of the line's select instead of a metric
  std::string choose = {};       ///< select that determines the checkpoint; empty: none
};

struct TableLine {
  std::string id, label;
  /// By block ("" for all columns): the row or select whose scores are shown; empty for a line
  /// without rows.
  std::map<std::string, std::string> rows;
  std::map<std::string, std::string> reasons;  ///< why the row is missing, by block
  /// For a line whose columns are matches of a pattern: by column, the metric that uses no row.
  std::map<std::string, std::string> metrics;
  SourceLocation location;  ///< location in the recipe
  bool drops_runs = false;  ///< the table's `aggregate` may exclude runs
};

/// A metric and one of its scores.
struct MetricScore {
  std::string metric, score;  ///< `score`: empty for the metric's default
};

struct CheckedTable {
  std::string id;
  TableOptions options;
  MetricScore dropped_by;                ///< metric and score of `aggregate`, if there is one
  std::optional<MetricScore> flag = {};  ///< the score that flags runs, if there is one
  std::vector<TableLine> lines;
  std::vector<TableColumn> columns;
};

/// Parses `table` with `checks`, then `tables`; the first one is that of the report. Reports
/// unknown names in lines, columns, paper numbers and checks, and duplicate ids.
std::vector<CheckedTable> check_tables(const CheckedRecipe& recipe, const Names& names,
                                       Errors& errors);

}  // namespace lvtext
