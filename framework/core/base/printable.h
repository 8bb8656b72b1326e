// Safe output of users' text on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace lvtext {

/// Replaces control characters (C0, DEL and C1), which a terminal would interpret, by escapes:
/// "\x1b", "\u009b". Line breaks and tabs are kept.
std::string printable(std::string_view text);
/// The same for a single line: also escapes line breaks and tabs as "\n", "\r" and "\t".
std::string printable_line(std::string_view text);

}  // namespace lvtext
