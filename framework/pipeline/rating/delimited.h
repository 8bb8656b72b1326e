// Tables as spreadsheets and forms save them: CSV and TSV.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lvtext {

/// A row and the line (from 1) on which it begins.
struct DelimitedRow {
  int64_t line = 0;
  std::vector<std::string> fields;
};

/// A header and rows. Rows may have more or fewer fields than the header.
struct DelimitedTable {
  std::vector<std::string> header;
  int64_t header_line = 0;
  std::vector<DelimitedRow> rows;
};

/// Reads a table whose separator is what its header has: a tab, else a comma or a semicolon,
/// whichever is more frequent. Comma and semicolon files are read by RFC 4180 (quoted fields may
/// hold separators, quotes and line ends); in tab files quotes are text, as exported sheets have
/// them. A byte order mark goes, lines end at LF or CR LF, blank lines are skipped. Throws
/// MissingError; DataError naming file and line for a quote that is not closed, text that is not
/// UTF-8, and a file without a header.
DelimitedTable read_delimited(const std::filesystem::path& file);

}  // namespace lvtext
