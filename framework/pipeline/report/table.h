// A table of results: ours beside the paper's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/statistics/statistics.h"

namespace lvtext {

/// One score of one row. A missing value is shown as missing and never filled in.
struct Cell {
  /// Ours: the mean over seeds.
  std::optional<double> value;
  /// The n - 1 standard deviation over seeds; none for a single seed.
  std::optional<double> sd;
  int64_t n_seeds = 0;
  /// The 95 % interval, both or none.
  std::optional<double> lo, hi;
  std::optional<double> paper;
  /// Why there is no value.
  std::string reason;
  /// "%", "of 16".
  std::string unit = {};
  /// Version, tokenization, counts and data hash: what makes two values comparable. Those of all
  /// seeds, each once.
  std::vector<std::string> signatures = {};
  /// In place of a number: what was chosen.
  std::string text = {};
};

/// A metric of the table.
struct Column {
  std::string id, title;
  Direction direction = Direction::kNone;
  std::string note;
  /// Digits after the point where people read; CSV has two more.
  int decimals = 2;
  /// What is measured, for the page's readers; empty: `note` says it.
  std::string definition = {};
};

/// A model of the table.
struct Row {
  std::string id, label;
  /// Why nothing of the row was computed, if so.
  std::string reason;
};

/// `cells[row][column]`.
struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::vector<Cell>> cells;

  /// Sizes `cells` to rows x columns.
  void resize();
  /// The cell of a row and a column by their ids; throws std::out_of_range if there is none.
  Cell& cell(const std::string& row, const std::string& column);
  const Cell& cell(const std::string& row, const std::string& column) const;
};

/// Spearman's correlation of our column with the paper's, over the rows that have both.
struct RankCorrelation {
  double rho = 0;
  int64_t n_rows = 0;
};
/// None below three common rows (two always give +1 or -1) or if a side is constant.
std::optional<RankCorrelation> rank_correlation(const Table& table, size_t column);

/// `value` with exactly `decimals` digits after the point, never "-0.00"; "nan", "inf", "-inf".
std::string fixed(double value, int decimals);
/// The unit of all values of a column; empty if they differ.
std::string column_unit(const Table& table, size_t column);
/// "37.56 ± 0.41 (3)" as people read a cell: deviation and number of seeds where there are several,
/// and its unit where the values of the column have different ones; empty without a value.
std::string cell_text(const Table& table, size_t row, size_t column);
/// The signatures of a column, in the order of the rows, each with the rows that have it.
struct SignatureRows {
  std::string signature;
  std::vector<size_t> rows;
};
std::vector<SignatureRows> column_signatures(const Table& table, size_t column);
/// What the reason column of a row says: the row's own reason, then "metrics: reason" of its cells.
std::string row_reason(const Table& table, size_t row);
/// True if the paper gives a number in this column.
bool has_paper(const Table& table, size_t column);

/// RFC 4180 with LF line ends. Header `row,label`, then
/// `<id>,<id>_sd,<id>_n,<id>_lo,<id>_hi,<id>_paper` for each metric, last `reason`.
std::string table_csv(const Table& table);
/// A pipe table: ours, the paper's in italics; rank correlations as the last row.
std::string table_markdown(const Table& table);
/// A `tabular` for \input, with booktabs rules.
std::string table_latex(const Table& table);
/// Everything, numbers unrounded.
std::string table_json(const Table& table);

}  // namespace lvtext
