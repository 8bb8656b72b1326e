// Tables of texts.
#pragma once

#include <string>
#include <vector>

namespace lvtext {

/// Plain texts in rows: samples, reconstructions, counts of data.
struct TextTable {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string file = {};  ///< name of the CSV file beside the page; empty: none
};

/// The table as CSV: its columns, then its rows.
std::string text_csv(const TextTable& table);

}  // namespace lvtext
