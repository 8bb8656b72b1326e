// Escapes plain text for the output formats of a report. Bytes that are not UTF-8, such as tokens
// of single bytes that a model generates, become U+FFFD, so that each file of a report is UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace lvtext {

/// Escapes text for HTML and SVG content and quoted attributes. Control characters that HTML
/// forbids become U+FFFD.
std::string escape_html(std::string_view text);
/// Escapes text for LaTeX text mode: special characters are escaped, common mathematical signs and
/// Greek letters become commands, line breaks become spaces, control characters become '?'. The
/// result is safe at the start of a table row, where a leading "[" or "*" would be parsed as an
/// option of the preceding \\.
std::string escape_latex(std::string_view text);
/// Escapes text for a cell of a Markdown pipe table: pipes, markup and HTML are escaped, line
/// breaks become spaces, control characters become U+FFFD.
std::string escape_markdown(std::string_view text);
/// Escapes a CSV field: escape_formula(), and quotes where RFC 4180 requires them.
std::string escape_csv(std::string_view text);

/// Prepends "'" to text that a spreadsheet would evaluate as a formula: text that begins with
/// = + - @, a tab or a carriage return, and is not a number. Text of this form after leading
/// apostrophes gets another one.
std::string escape_formula(std::string_view text);
/// Undoes escape_formula().
std::string unescape_formula(std::string_view text);
/// "<name>text</name>" with the text escaped.
std::string html_element(const std::string& name, const std::string& text);

}  // namespace lvtext
