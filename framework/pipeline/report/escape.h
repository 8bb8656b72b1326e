// Plain text made safe for the formats of a report.
#pragma once

#include <string>
#include <string_view>

namespace lvtext {

/// For HTML and SVG, in text and in quoted attributes. Control characters that HTML forbids and
/// bytes that are not UTF-8 become U+FFFD.
std::string escape_html(std::string_view text);
/// For LaTeX text mode: special characters escaped, common mathematical signs and Greek letters
/// written as commands, line ends as blanks, control characters as '?'. The text may stand first in
/// a row of a table: "[" and "*" there are no options of the row above.
std::string escape_latex(std::string_view text);
/// For a cell of a Markdown pipe table: pipes, markup and HTML escaped, line ends as blanks,
/// control characters as U+FFFD.
std::string escape_markdown(std::string_view text);
/// A CSV field: escape_formula(), quoted where RFC 4180 asks for it.
std::string escape_csv(std::string_view text);

/// "'" before what spreadsheets would compute: text that begins with = + - @, a tab or a carriage
/// return and is no number, or does so after apostrophes.
std::string escape_formula(std::string_view text);
/// Undoes escape_formula().
std::string unescape_formula(std::string_view text);

}  // namespace lvtext
