// Parses CSV and TSV files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// A row and the line number (from 1) of its start.
struct DelimitedRow {
  int64_t line = 0;
  std::vector<std::string> fields;

  /// A field without surrounding white space, its formula escape undone (unescape_formula()); empty
  /// if the row has fewer fields.
  std::string field(size_t column) const;
};

/// A table with a header. Rows may have more or fewer fields than the header.
struct DelimitedTable {
  std::vector<std::string> header;
  int64_t header_line = 0;
  std::vector<DelimitedRow> rows;

  /// The index of the column with this name, if there is one.
  std::optional<size_t> column(const std::string& name) const;
};

/// Reads a table. The separator is detected from the header: a tab, or otherwise the more frequent
/// one of comma and semicolon. Comma and semicolon files follow RFC 4180 (quoted fields may contain
/// separators, quotes and line breaks); in tab-separated files quotes are literal, as in exported
/// sheets. A byte order mark is removed, lines end with LF or CR LF, blank lines are skipped.
/// Throws MissingError, and DataError with file and line for an unterminated quoted field, text
/// after a closing quote, invalid UTF-8, or a file without a header.
DelimitedTable read_delimited(const std::filesystem::path& file);

}  // namespace lvtext
