#include "framework/pipeline/report/image_grid.h"

#include <algorithm>

#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {
namespace {

constexpr double kSide = 64;  // height of an image
constexpr double kGridGap = 6;
constexpr double kHeading = 24;
constexpr double kGridLetter = 6.8;  // mean width of a character

double width_of(const Picture& picture) {
  return kSide * static_cast<double>(picture.width) / static_cast<double>(picture.height);
}

std::string grid_text(double x, double y, const std::string& text, const char* style) {
  return std::string("<text class=\"") + style + "\" x=\"" + svg_number(x) + "\" y=\"" +
         svg_number(y) + "\">" + escape_html(text) + "</text>\n";
}

}  // namespace

SvgPart image_grid_part(const std::string& title, const std::string& description,
                        const std::vector<ImageLine>& lines) {
  size_t longest = 0;
  for (const ImageLine& line : lines) longest = std::max(longest, line.column.size());
  const double left = kGridLetter * static_cast<double>(longest) + 2 * kGridGap;
  double width = left + kSide, y = 0;
  std::string body;
  for (size_t i = 0; i < lines.size(); ++i) {
    const ImageLine& line = lines[i];
    if (i == 0 || lines[i - 1].row != line.row) {
      body += grid_text(0, y + 17, line.row, "title");
      width = std::max(width, 8 * static_cast<double>(line.row.size()));
      y += kHeading;
    }
    body += grid_text(0, y + kSide / 2 + 4, line.column, "column");
    double x = left;
    for (size_t item = 0; item < line.pictures.size(); ++item) {
      const Picture& picture = line.pictures[item];
      const std::string name = line.row + ", " + line.column + ", item " + std::to_string(item + 1);
      body += "<image x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
              svg_number(width_of(picture)) + "\" height=\"" + svg_number(kSide) +
              "\" style=\"image-rendering:pixelated\" href=\"" + png_link(picture) + "\"><title>" +
              escape_html(name) + "</title></image>\n";
      x += width_of(picture) + kGridGap;
    }
    if (!line.reason.empty()) {
      body += grid_text(left, y + kSide / 2 + 4, line.reason, "why");
      x += kGridLetter * static_cast<double>(line.reason.size());
    }
    width = std::max(width, x);
    y += kSide + kGridGap;
  }
  return {svg_open(width, y, title, description) + body + "</svg>\n", width, y};
}

std::string image_grid_csv(const std::vector<ImageLine>& lines) {
  std::string out = "row,column,item,height,width,sha256,reason\n";
  for (const ImageLine& line : lines) {
    const std::string start = escape_csv(line.row) + "," + escape_csv(line.column) + ",";
    for (size_t item = 0; item < line.pictures.size(); ++item) {
      const Picture& picture = line.pictures[item];
      const std::string_view bytes(reinterpret_cast<const char*>(picture.rgb.data()),
                                   picture.rgb.size());
      out += start + std::to_string(item + 1) + "," + std::to_string(picture.height) + "," +
             std::to_string(picture.width) + "," + sha256(bytes) + ",\n";
    }
    if (!line.reason.empty()) out += start + ",,,," + escape_csv(line.reason) + "\n";
  }
  return out;
}

}  // namespace lvtext
