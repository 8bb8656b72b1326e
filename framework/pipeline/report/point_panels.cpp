#include "framework/pipeline/report/point_panels.h"

#include <algorithm>
#include <array>
#include <limits>

#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/page/embedded.h"
#include "framework/pipeline/report/svg_file.h"

namespace lvtext {
namespace {

constexpr std::array<const char*, 10> kPointColors = {"#3f90da", "#ffa90e", "#bd1f01", "#94a4a2",
                                                      "#832db6", "#a96b59", "#e76300", "#b9ac70",
                                                      "#717581", "#92dadd"};
constexpr double kPanel = 320;      // width of a panel, and its height without the title
constexpr double kPanelTitle = 26;  // height of a panel's title
constexpr double kMargin = 14;      // from the frame to the outermost point
constexpr double kPanelGap = 16;    // between panels and around the figure
constexpr double kLegendRow = 18;   // line height of the legend
constexpr double kLift = 13;        // distance of a number above the median of its points
constexpr size_t kColumns = 3;

/// "(a) AE-SPH".
std::string panel_title(const PointPanels& figure, size_t index) {
  return std::string("(") + static_cast<char>('a' + index % 26) + ") " + figure.panels[index].label;
}

std::string legend_line(const PointPanels& figure, size_t sentence) {
  return std::to_string(sentence + 1) + "  " + figure.legend[sentence].text;
}

struct Position {
  double x = 0, y = 0;
};

/// Maps the points of a panel to its square, centered, with the same scale on both axes.
class Layout {
 public:
  explicit Layout(const FigurePanel& panel) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    double left = kInf, right = -kInf, low = kInf, high = -kInf;
    for (const FigurePoint& point : panel.points) {
      left = std::min(left, point.shown_x);
      right = std::max(right, point.shown_x);
      low = std::min(low, point.shown_y);
      high = std::max(high, point.shown_y);
    }
    center_ = {(left + right) / 2, (low + high) / 2};
    const double range = std::max(right - left, high - low);
    scale_ = range > 0 ? (kPanel - 2 * kMargin) / range : 0;  // 0: one point, in the middle
  }
  Position at(double x, double y) const {
    return {kPanel / 2 + (x - center_.x) * scale_,
            kPanelTitle + kPanel / 2 - (y - center_.y) * scale_};
  }
  Position at(const FigurePoint& point) const { return at(point.shown_x, point.shown_y); }

 private:
  Position center_;
  double scale_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The points of one sentence and the position of its number.
struct Cloud {
  size_t sentence;
  std::vector<Position> positions;
  Position number;
};

std::vector<Cloud> clouds_of(const PointPanels& figure, const FigurePanel& panel) {
  const Layout layout(panel);
  std::vector<Cloud> clouds;
  for (size_t sentence = 0; sentence < figure.legend.size(); ++sentence) {
    Cloud cloud{sentence, {}, {}};
    std::vector<double> xs, ys;
    for (const FigurePoint& point : panel.points) {
      if (point.sentence != static_cast<int64_t>(sentence)) continue;
      cloud.positions.push_back(layout.at(point));
      xs.push_back(cloud.positions.back().x);
      ys.push_back(cloud.positions.back().y);
    }
    if (cloud.positions.empty()) continue;
    cloud.number = {median(xs), median(ys) - kLift};
    clouds.push_back(std::move(cloud));
  }
  return clouds;
}

std::string panel_content(const PointPanels& figure, size_t index) {
  const FigurePanel& panel = figure.panels[index];
  std::string out = svg_text(2, 17, panel_title(figure, index), "title");
  out += "<rect class=\"box\" x=\"0.5\" y=\"" + svg_number(kPanelTitle) + "\" width=\"" +
         svg_number(kPanel - 1) + "\" height=\"" + svg_number(kPanel - 1) + "\"/>\n";
  double y = kPanelTitle + 30;
  if (panel.points.empty()) {
    for (const auto& line : wrapped(panel.reason, 44)) out += svg_text(14, y, line, "why"), y += 18;
    return out;
  }
  const std::vector<Cloud> clouds = clouds_of(figure, panel);
  for (const Cloud& cloud : clouds) {
    // Zero-length lines with round caps are dots, with a third of the bytes of <circle> elements.
    std::string path;
    for (const Position& position : cloud.positions)
      path += "M" + svg_number(position.x) + " " + svg_number(position.y) + "h0";
    out += "<path class=\"dots k" + std::to_string(cloud.sentence % kPointColors.size()) +
           "\" d=\"" + path + "\"/>\n";
  }
  for (const Cloud& cloud : clouds) {
    out +=
        svg_text(cloud.number.x, cloud.number.y + 4, std::to_string(cloud.sentence + 1), "number");
  }
  return out;
}

Position size_of(const PointPanels& figure) {
  const size_t columns = std::min(kColumns, figure.panels.size());
  const size_t rows = (figure.panels.size() + kColumns - 1) / kColumns;
  return {kPanelGap + static_cast<double>(columns) * (kPanel + kPanelGap),
          kPanelGap + kPanelTitle + static_cast<double>(rows) * (kPanelTitle + kPanel + kPanelGap) +
              kLegendRow * static_cast<double>(figure.legend.size()) + kPanelGap};
}

Position corner_of(size_t index) {
  const size_t row = index / kColumns;
  const size_t column = index % kColumns;
  return {kPanelGap + static_cast<double>(column) * (kPanel + kPanelGap),
          kPanelGap + kPanelTitle + static_cast<double>(row) * (kPanelTitle + kPanel + kPanelGap)};
}

/// Position of the first line of the legend.
Position legend_of(const PointPanels& figure) {
  return {kPanelGap + 6,
          size_of(figure).y - kPanelGap - kLegendRow * static_cast<double>(figure.legend.size())};
}

}  // namespace

std::string panel_style() {
  std::string colors;
  for (size_t i = 0; i < kPointColors.size(); ++i) {
    colors += "--k" + std::to_string(i) + ":" + kPointColors[i] + ";";
  }
  return ":root{" + colors + "}\n" + std::string(kPanelsCss);
}

std::string panel_svg(const PointPanels& figure, size_t index) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" +
         escape_html(panel_title(figure, index)) + "\" viewBox=\"0 0 " + svg_number(kPanel) + " " +
         svg_number(kPanelTitle + kPanel) + "\">\n" + panel_content(figure, index) + "</svg>\n";
}

namespace {

std::string panels_svg(const PointPanels& figure) {
  const Position size = size_of(figure);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + svg_number(size.x) +
                    "\" height=\"" + svg_number(size.y) + "\" viewBox=\"0 0 " + svg_number(size.x) +
                    " " + svg_number(size.y) + "\">\n<style>\n" +
                    std::string(kColorsCss).append(kChartsCss).append(kSvgFileCss) + panel_style() +
                    "</style>\n" + svg_text(kPanelGap, kPanelGap + 12, figure.title, "title");
  for (size_t i = 0; i < figure.panels.size(); ++i) {
    const Position corner = corner_of(i);
    out += "<g transform=\"translate(" + svg_number(corner.x) + " " + svg_number(corner.y) +
           ")\">\n" + panel_content(figure, i) + "</g>\n";
  }
  const Position legend = legend_of(figure);
  for (size_t i = 0; i < figure.legend.size(); ++i) {
    const double y = legend.y + kLegendRow * (static_cast<double>(i) + 0.5);
    out += "<circle class=\"k" + std::to_string(i % kPointColors.size()) + "\" cx=\"" +
           svg_number(legend.x) + "\" cy=\"" + svg_number(y) + "\" r=\"4\"/>\n" +
           svg_text(legend.x + 14, y + 4, legend_line(figure, i), "sentence");
  }
  return out + "</svg>\n";
}

std::string panels_csv(const PointPanels& figure) {
  std::string out = "row,sentence_id,draw,x,y\n";
  for (const FigurePanel& panel : figure.panels) {
    for (const FigurePoint& point : panel.points) {
      out += escape_csv(panel.row) + "," + std::to_string(figure.legend[point.sentence].id) + "," +
             std::to_string(point.draw) + "," + format_number(point.x) + "," +
             format_number(point.y) + "\n";
    }
  }
  return out;
}

/// HTML for the page: the panels over the full width, and the legend as a list.
std::string panels_html(const PointPanels& figure) {
  std::string out = "<div class=\"panels\">\n";
  for (size_t i = 0; i < figure.panels.size(); ++i) out += panel_svg(figure, i);
  out += "</div>\n<ol class=\"legend\">\n";
  for (size_t i = 0; i < figure.legend.size(); ++i) {
    out += "<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><circle class=\"k" +
           std::to_string(i % kPointColors.size()) + "\" cx=\"5\" cy=\"5\" r=\"4\"/></svg> " +
           escape_html(figure.legend[i].text) + "</li>\n";
  }
  return out + "</ol>\n";
}

}  // namespace

Figure draw_panels(const PointPanels& figure, const std::string& file) {
  return {.title = figure.title,
          .note = figure.note,
          .file = file,
          .svg = panels_svg(figure),
          .csv = panels_csv(figure),
          .html = panels_html(figure),
          .style = panel_style().append(kPanelsPageCss)};
}

}  // namespace lvtext
