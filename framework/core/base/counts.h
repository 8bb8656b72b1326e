// Counts of things in messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lvtext {

/// A count with its noun, given in the singular: "1 line", "12,345 lines".
std::string format_count(int64_t count, std::string_view noun);

}  // namespace lvtext
