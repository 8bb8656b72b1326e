// Writes drawings as standalone SVG files.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/report/figure.h"

namespace lvtext {

/// An <svg> element with a viewBox of this size, for a page or a file.
struct SvgPart {
  std::string svg;
  double width = 0, height = 0;
};

/// SVG file with the parts in a grid of `columns` columns, the title above and the missing parts
/// below. `description`: text alternative for screen readers; `style`: CSS for the parts' classes
/// in addition to charts.css. The colors follow the viewer's light or dark mode.
std::string svg_file(const std::string& title, const std::string& description,
                     const std::vector<SvgPart>& parts, size_t columns,
                     const std::vector<MissingPart>& missing = {}, const std::string& style = "");

/// Start tag of an <svg> element of this size, with title and description for screen readers.
std::string svg_open(double width, double height, const std::string& title,
                     const std::string& description);
/// The part for a page; it shrinks with the page but never exceeds its own width.
std::string svg_in_page(const SvgPart& part);
/// A number of pixels with one decimal.
std::string svg_number(double value);
/// Text of the class `style` (empty: none) at (x, y). `more`: further attributes, " key=\"value\"".
std::string svg_text(double x, double y, const std::string& text, const std::string& style = "",
                     const std::string& more = "");
/// Text whose "start", "middle" or "end" is at x.
std::string svg_anchored(double x, double y, const std::string& text, const std::string& anchor,
                         const std::string& more = "");
/// A line of the class `style`.
std::string svg_line(const std::string& style, double x1, double y1, double x2, double y2);

/// Wraps text to lines of at most `width` bytes; a longer word gets its own line.
std::vector<std::string> wrapped(const std::string& text, size_t width);

/// Draws the table as text, with long cells wrapped.
SvgPart text_part(const TextTable& table);

}  // namespace lvtext
