#include "framework/pipeline/report/image_grid.h"

#include <algorithm>

#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {
namespace {

constexpr double kSide = 64;  // height of an image at scale 1
constexpr double kGridGap = 6;
constexpr double kHeading = 24;
constexpr double kGridLetter = 6.8;  // mean width of a character
constexpr double kCaptionLine = 15;

double width_of(const Picture& picture, double side) {
  return side * static_cast<double>(picture.width) / static_cast<double>(picture.height);
}

bool has_captions(const std::vector<ImageLine>& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [](const ImageLine& line) { return !line.captions.empty(); });
}

}  // namespace

SvgPart image_grid_part(const std::string& title, const std::string& description,
                        const std::vector<ImageLine>& lines, double scale) {
  const double side = kSide * scale;
  size_t longest = 0;
  for (const ImageLine& line : lines) longest = std::max(longest, line.column.size());
  const double left = kGridLetter * static_cast<double>(longest) + 2 * kGridGap;
  double width = left + side, y = 0;
  std::string body;
  for (size_t i = 0; i < lines.size(); ++i) {
    const ImageLine& line = lines[i];
    if (i == 0 || lines[i - 1].row != line.row) {
      body += svg_text(0, y + 17, line.row, "title");
      width = std::max(width, 8 * static_cast<double>(line.row.size()));
      y += kHeading;
    }
    body += svg_text(0, y + side / 2 + 4, line.column, "column");
    double x = left, below = 0;
    for (size_t item = 0; item < line.pictures.size(); ++item) {
      const Picture& picture = line.pictures[item];
      const std::string name = line.row + ", " + line.column + ", item " + std::to_string(item + 1);
      body += "<image x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
              svg_number(width_of(picture, side)) + "\" height=\"" + svg_number(side) +
              "\" style=\"image-rendering:pixelated\" href=\"" + png_link(picture) + "\"><title>" +
              escape_html(name) + "</title></image>\n";
      if (item < line.captions.size()) {
        const auto letters = static_cast<size_t>(width_of(picture, side) / kGridLetter);
        double under = y + side;
        for (const std::string& part : wrapped(line.captions[item], letters)) {
          under += kCaptionLine;
          body += svg_text(x, under, part, "caption");
        }
        below = std::max(below, under - y - side + kGridGap);
      }
      x += width_of(picture, side) + kGridGap;
    }
    if (!line.reason.empty()) {
      body += svg_text(left, y + side / 2 + 4, line.reason, "why");
      x += kGridLetter * static_cast<double>(line.reason.size());
    }
    width = std::max(width, x);
    y += side + kGridGap + below;
  }
  return {svg_open(width, y, title, description) + body + "</svg>\n", width, y};
}

std::string image_grid_csv(const std::vector<ImageLine>& lines) {
  const bool captions = has_captions(lines);
  std::string out = std::string("row,column,item,height,width,sha256,reason") +
                    (captions ? ",caption" : "") + "\n";
  for (const ImageLine& line : lines) {
    const std::string start = escape_csv(line.row) + "," + escape_csv(line.column) + ",";
    for (size_t item = 0; item < line.pictures.size(); ++item) {
      const Picture& picture = line.pictures[item];
      const std::string_view bytes(reinterpret_cast<const char*>(picture.rgb.data()),
                                   picture.rgb.size());
      out += start + std::to_string(item + 1) + "," + std::to_string(picture.height) + "," +
             std::to_string(picture.width) + "," + sha256(bytes) + ",";
      if (captions) {
        out += "," + (item < line.captions.size() ? escape_csv(line.captions[item]) : "");
      }
      out += "\n";
    }
    if (!line.reason.empty()) {
      out += start + ",,,," + escape_csv(line.reason) + (captions ? ",\n" : "\n");
    }
  }
  return out;
}

}  // namespace lvtext
