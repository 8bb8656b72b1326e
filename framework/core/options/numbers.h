// The one strict reading of plain scalars as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lvtext {

/// A whole decimal number: "0", "-17". None for "010", "+1", "1_000", "0x10", "1e3" and whatever
/// does not fit 64 bits.
std::optional<int64_t> parse_int(std::string_view text);
/// A decimal number: "1", "0.5", "5e-4". None for ".5", "1.", "010", "1e400", ".nan", ".inf".
std::optional<double> parse_number(std::string_view text);
/// True if the text has the form of a decimal number, whatever its size.
bool is_number_form(std::string_view text);

}  // namespace lvtext
