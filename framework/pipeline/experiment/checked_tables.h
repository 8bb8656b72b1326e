// The tables of a recipe: which score stands in which cell.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {

struct CheckedRecipe;

struct TableColumn {
  std::string id;             ///< "bleu"; in a block "wt2_sp"
  std::string block;          ///< the value of the axis that the block is for; empty: in none
  std::string metric;         ///< of `evaluate`
  std::string score;          ///< of the metric's scores; empty: the one that the metric shows
  std::string reason;         ///< why it has no numbers; empty: it may have some
  SourceLocation location;    ///< where it is written
  bool shows_choice = false;  ///< in place of a metric: what the select of a line chose
  std::string choose = {};    ///< the select that says at which checkpoint; empty: none
};

struct TableLine {
  std::string id, label;
  /// By block, "" for all columns: the row, or the select, whose scores stand there; none of a line
  /// without rows.
  std::map<std::string, std::string> rows;
  std::map<std::string, std::string> reasons;  ///< by block: why there is no row
  /// Of a line whose columns are what a pattern matched: by column, the metric that uses no row.
  std::map<std::string, std::string> metrics;
  SourceLocation location;  ///< where it is written
  bool drops_runs = false;  ///< the table's `aggregate` says which runs it leaves out
};

struct CheckedTable {
  std::string id;
  TableOptions options;
  std::vector<TableLine> lines;
  std::vector<TableColumn> columns;
};

/// The metric of a cell; empty: none stands there.
std::string metric_of(const TableLine& line, const TableColumn& column);
/// The row, or the select, whose score stands in a cell; empty: none does, or the metric uses no
/// row.
std::string row_of(const TableLine& line, const TableColumn& column);

/// Reads `table` with `checks`, then `tables`; the first one is the report's own. Reports lines,
/// columns, paper numbers and checks that name nothing, and ids that stand there twice.
std::vector<CheckedTable> check_tables(const CheckedRecipe& recipe, Errors& errors);

}  // namespace lvtext
