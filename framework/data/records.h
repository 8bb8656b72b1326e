// Records: examples with named fields, before they are tokens.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lvtext {

/// One value per field, in the order of the fields.
using Record = std::vector<std::string>;

/// The values that a label field may have, by field; a value's index is its class.
using Labels = std::map<std::string, std::vector<std::string>>;

/// Records with what their fields are.
struct Records {
  std::vector<std::string> fields;
  Labels labels;
  std::vector<Record> rows;

  /// The values of the first field, which is a text.
  std::vector<std::string> texts() const;
};

/// The rows as JSON lines: an object per row, whose keys are the fields.
std::string to_json_lines(const Records& records);
/// Rows of these fields from what to_json_lines() wrote. Throws DataError naming the line.
std::vector<Record> parse_json_lines(const std::string& text,
                                     const std::vector<std::string>& fields);

}  // namespace lvtext
