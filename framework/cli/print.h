// Results on standard output.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lvtext {

/// Prints text, and a line end if it does not end in one. Control characters are
/// escaped.
void print_text(const std::string& text);
/// The same for text that other programs read: on a terminal alone control characters are escaped.
void print_data(const std::string& text);
/// Prints a table whose columns are aligned by the length of their UTF-8 texts; the last column is
/// not padded. Rows shorter than the header are filled with blanks.
void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows);
/// Prints JSON, indented by two.
void print_json(const nlohmann::ordered_json& json);
/// Pushes out what was printed. Throws Error(74) if standard output cannot take it.
void finish_printing();

}  // namespace lvtext
