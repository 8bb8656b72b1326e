// A table of results with the paper's numbers for comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/statistics/statistics.h"

namespace lvtext {

/// One score of one row. Missing values are never replaced by other numbers.
struct Cell {
  /// Our value: mean over seeds.
  std::optional<double> value;
  /// Standard deviation over seeds (n - 1 in the denominator); nullopt for a single seed.
  std::optional<double> sd;
  int64_t n_seeds = 0;
  /// Bounds of the 95 % interval; both are set or neither.
  std::optional<double> lo, hi;
  std::optional<double> paper;
  /// Why there is no value, or why it is computed from fewer seeds.
  std::string reason;
  /// For example "%" or "of 16".
  std::string unit = {};
  /// Version, tokenization, counts and data hash; values with equal signatures are comparable.
  /// Signatures of all seeds, without duplicates.
  std::vector<std::string> signatures = {};
  /// Shown in place of a number: the chosen value, or NaN.
  std::string text = {};
  /// The paper's number as the recipe writes it ("0.50"); empty: the shortest form of `paper`.
  std::string paper_text = {};
  /// What is wrong with the paper's number: a misprint.
  std::string paper_note = {};
};

/// A column: one metric.
struct Column {
  std::string id, title;
  Direction direction = Direction::kNone;
  /// How to read its values, after the definition; empty: nothing to add.
  std::string note;
  /// Displayed decimals; CSV has two more.
  int decimals = 2;
  /// What the metric measures, for the page.
  std::string definition = {};
  /// False if our values are on another scale than the paper's.
  bool comparable = true;
  /// True if the value of real data is the best one: lower values indicate a collapsed model.
  bool real_is_best = false;
};

/// A row: one model, or real data.
struct Row {
  std::string id, label;
  /// Why no cell of the row was computed, if so.
  std::string reason;
  /// Shown beside the label: "29 of 30 steps were skipped".
  std::string note = {};
  bool is_real = false;  ///< real data, not generated
};

/// Columns, rows and `cells[row][column]`.
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

/// Spearman's correlation of our values with the paper's, over the rows that have both.
struct RankCorrelation {
  double rho = 0;
  int64_t n_rows = 0;
};
/// nullopt with fewer than three common rows (two always give +1 or -1), if either side is
/// constant, or if the column's values are not comparable.
std::optional<RankCorrelation> rank_correlation(const Table& table, size_t column);

/// `value` with exactly `decimals` digits after the point, never "-0.00"; "nan", "inf", "-inf".
std::string fixed(double value, int decimals);
/// The common unit of all values of a column; empty if they differ.
std::string column_unit(const Table& table, size_t column);
/// Displayed text of a cell, such as "37.56 ± 0.41 (3)": with several seeds, standard deviation and
/// number of seeds; the unit, if the units of the column differ. `cell.text` without a value.
std::string cell_text(const Table& table, size_t row, size_t column);
/// The paper's number as the recipe writes it; empty without one.
std::string paper_text(const Cell& cell);
/// paper_text(), followed by a dagger if the cell has a note on it.
std::string marked_paper_text(const Cell& cell);
/// The notes on the paper's numbers, with label and column: "† VAE, bleu: misprint".
std::vector<std::string> paper_notes(const Table& table);
/// The value of real data in a column whose best value that is; none if the table has no such row.
std::optional<double> real_value(const Table& table, size_t column);
/// The difference of a cell to real_value(), with sign: "+0.31"; empty if there is none.
std::string distance_text(const Table& table, size_t row, size_t column);
/// cell_text() with the distance: "3.21 (+0.31 to real)".
std::string compared_text(const Table& table, size_t row, size_t column);
/// The header of a column, with its unit: "reverse, nats/sentence"; an arrow for its direction
/// unless the table shows distances to real data.
std::string column_text(const Table& table, size_t column);
/// A signature of a column and the rows that have it.
struct SignatureRows {
  std::string signature;
  std::vector<size_t> rows;
};
/// The signatures of a column, in the order of their first rows.
std::vector<SignatureRows> column_signatures(const Table& table, size_t column);
/// Content of the `reason` column: note and reason of the row, then "metrics: reason" for its
/// cells.
std::string row_reason(const Table& table, size_t row, bool with_note = true);
/// True if the paper reports a number in this column.
bool has_paper(const Table& table, size_t column);

/// RFC 4180 with LF line ends. Header `row,label`, then
/// `<id>,<id>_sd,<id>_n,<id>_lo,<id>_hi,<id>_paper` for each metric, last `reason`.
std::string table_csv(const Table& table);
/// A pipe table with our values, the paper's in italics, and rank correlations as the last row.
std::string table_markdown(const Table& table);
/// A LaTeX `tabular` for \input, with booktabs rules; notes on the paper's numbers are comments.
std::string table_latex(const Table& table);
/// JSON with all fields and unrounded numbers.
std::string table_json(const Table& table);

}  // namespace lvtext
