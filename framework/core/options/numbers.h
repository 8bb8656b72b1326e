// Strict parsing of plain scalars as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lvtext {

/// Parses a decimal integer: "0", "-17". None for "010", "+1", "1_000", "0x10", "1e3" and values
/// that do not fit in 64 bits.
std::optional<int64_t> parse_int(std::string_view text);
/// Parses a decimal number: "1", "0.5", "5e-4". None for ".5", "1.", "010", "1e400", ".nan",
/// ".inf".
std::optional<double> parse_number(std::string_view text);
/// True if the text has the form of a decimal number of any size.
bool is_number_form(std::string_view text);

}  // namespace lvtext
