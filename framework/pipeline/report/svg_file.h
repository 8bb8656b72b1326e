// Parts of a drawing as an SVG file of its own.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/report/figure.h"

namespace lvtext {

/// An <svg> element with a viewBox of this size, as a page shows it too.
struct SvgPart {
  std::string svg;
  double width = 0, height = 0;
};

/// A file of these parts, `columns` of them side by side, with a title above and what is missing
/// below. `description` is for readers who do not see it; `style` is that of the parts' classes
/// beyond those of charts. The colors follow the viewer's light or dark ground.
std::string svg_file(const std::string& title, const std::string& description,
                     const std::vector<SvgPart>& parts, size_t columns,
                     const std::vector<MissingPart>& missing = {}, const std::string& style = "");

/// Opens an element of that size, with title and description for readers who do not see it.
std::string svg_open(double width, double height, const std::string& title,
                     const std::string& description);
/// The part in a page: as wide as it was drawn, or narrower.
std::string svg_in_page(const SvgPart& part);
/// A number of pixels, with one digit after the point.
std::string svg_number(double value);

/// The words of a text in lines of at most `width` bytes; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, size_t width);

/// The table as text: columns side by side, long texts wrapped.
SvgPart text_part(const TextTable& table);

}  // namespace lvtext
