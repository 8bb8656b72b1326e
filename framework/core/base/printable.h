// Users' text on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace lvtext {

/// The text with its control characters (C0, DEL and C1), which would act on a terminal, as
/// escapes: "\x1b", "\u009b". Line ends and tabs stay.
std::string printable(std::string_view text);
/// The same for one line: line ends and tabs are escaped too, as "\n", "\r" and "\t".
std::string printable_line(std::string_view text);

}  // namespace lvtext
