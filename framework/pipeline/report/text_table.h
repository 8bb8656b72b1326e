// Tables of texts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// Columns used to show texts side by side on the page: one line for each combination of values of
/// `keys` (without keys: the first text of each label, the second, ...), and one column for each
/// value of `label`. The other columns are the texts.
struct SideBySide {
  size_t label = 0;
  std::vector<size_t> keys;
};

/// A table of plain text: samples, reconstructions, data counts.
struct TextTable {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string file = {};  ///< name of the CSV file of the table; empty: none
  std::optional<SideBySide> side_by_side = {};
};

/// Rearranges the table according to `side_by_side`; returns it unchanged if that is not set.
/// Several texts in one cell are separated by ": ".
TextTable texts_side_by_side(const TextTable& table);

/// The table as CSV with a header.
std::string text_csv(const TextTable& table);

}  // namespace lvtext
