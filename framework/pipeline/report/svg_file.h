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

/// Wraps text to lines of at most `width` bytes; a longer word gets its own line.
std::vector<std::string> wrapped(const std::string& text, size_t width);

/// Draws the table as text, with long cells wrapped.
SvgPart text_part(const TextTable& table);

}  // namespace lvtext
