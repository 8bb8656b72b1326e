// Tables of texts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// Columns by which the page shows the texts of all rows side by side: one line for each
/// combination of values of `keys` (without keys: the first text of each row, the second, ...),
/// with a column for each value of `label`. The other columns are the texts.
struct SideBySide {
  size_t label = 0;
  std::vector<size_t> keys;
};

/// Plain texts in rows: samples, reconstructions, counts of data.
struct TextTable {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string file = {};  ///< name of the CSV file beside the page; empty: none
  std::optional<SideBySide> side_by_side = {};
};

/// The table with its texts side by side, as `side_by_side` says; unchanged without it. Several
/// texts in one cell are separated by ": ".
TextTable texts_side_by_side(const TextTable& table);

/// The table as CSV: its columns, then its rows.
std::string text_csv(const TextTable& table);

}  // namespace lvtext
