// Printing of results on standard output.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lvtext {

/// The number of code points of UTF-8 text.
size_t printed_width(const std::string& text);
/// Prints text, with a newline appended if it does not end in one. Control characters are escaped.
void print_text(const std::string& text);
/// Like print_text(), for text that other programs read: control characters are escaped only on a
/// terminal.
void print_data(const std::string& text);
/// Prints a table with columns aligned by the number of code points; the last column is not padded.
/// Rows may be shorter than the header.
void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& texts);
/// Prints JSON with an indentation of two spaces.
void print_json(const nlohmann::ordered_json& json);
/// Flushes standard output. Throws Error(74) if writing fails.
void finish_printing();

}  // namespace lvtext
