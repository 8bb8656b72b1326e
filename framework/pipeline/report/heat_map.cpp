#include "framework/pipeline/report/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/page/embedded.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {
namespace {

constexpr double kWidth = 58, kHeight = 26;  // size of a cell
constexpr double kMapLetter = 6.8;           // mean width of a character
constexpr double kMapGap = 8;

using Parts = std::array<double, 3>;
// Ends of ColorBrewer's RdBu, a colorblind-safe palette.
constexpr Parts kRed = {178, 24, 43}, kWhite = {247, 247, 247}, kBlue = {33, 102, 172};

const char* name_of(Margin margin) {
  switch (margin) {
    case Margin::kMean: return "mean";
    case Margin::kMin: return "min";
    case Margin::kMax: return "max";
  }
  return "";
}

/// Value range that is mapped to the color scale.
struct Range {
  double lo = 0, hi = 0;
  bool is_signed() const { return lo < 0; }
  /// Position on the color scale, from -1 (red) to 1 (blue).
  double position(double value) const {
    const double size = is_signed() ? std::max(-lo, hi) : hi - lo;
    const double from = is_signed() ? 0 : lo;
    return size > 0 ? std::clamp((value - from) / size, -1.0, 1.0) : 0;
  }
};

Range range_of(const HeatMap& map) {
  std::optional<Range> range;
  for (const auto& row : map.cells) {
    for (const HeatCell& cell : row) {
      if (!cell.value || !std::isfinite(*cell.value)) continue;
      if (!range) range = Range{*cell.value, *cell.value};
      range->lo = std::min(range->lo, *cell.value);
      range->hi = std::max(range->hi, *cell.value);
    }
  }
  return range.value_or(Range{});
}

Parts color_at(double position) {
  const Parts& end = position < 0 ? kRed : kBlue;
  Parts mixed{};
  for (size_t i = 0; i < mixed.size(); ++i) {
    mixed[i] = std::round(kWhite[i] + (end[i] - kWhite[i]) * std::abs(position));
  }
  return mixed;
}

std::string cell_svg(const HeatCell& cell, const Range& range, int decimals, double x, double y,
                     const std::string& title) {
  const std::string at = "x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
                         svg_number(kWidth) + "\" height=\"" + svg_number(kHeight) + "\"";
  if (!cell.value) {
    return "<rect class=\"empty\" " + at + "><title>" + escape_html(title + ": " + cell.reason) +
           "</title></rect>\n";
  }
  const double position = range.position(*cell.value);
  const Parts color = color_at(position);
  std::string fill = "rgb(";
  for (size_t i = 0; i < color.size(); ++i) fill += (i ? "," : "") + fixed(color[i], 0);
  const char* ink = std::abs(position) > 0.6 ? "light" : "dark";
  return "<rect " + at + " fill=\"" + fill + ")\"><title>" +
         escape_html(title + ": " + format_number(*cell.value)) + "</title></rect>\n" +
         svg_anchored(x + kWidth / 2, y + kHeight / 2 + 4, fixed(*cell.value, decimals), "middle",
                      std::string(" class=\"") + ink + "\"");
}

std::string margin_text(const std::optional<double>& value, int decimals, double x, double y) {
  return value
             ? svg_anchored(x + kWidth / 2, y + kHeight / 2 + 4, fixed(*value, decimals), "middle")
             : "";
}

double widest(const std::vector<std::string>& labels) {
  size_t letters = 4;
  for (const auto& label : labels) letters = std::max(letters, label.size());
  return kMapLetter * static_cast<double>(letters) + kMapGap;
}

std::vector<HeatCell> column_of(const HeatMap& map, size_t column) {
  std::vector<HeatCell> cells;
  for (const auto& row : map.cells) cells.push_back(row[column]);
  return cells;
}

}  // namespace

std::optional<double> margin_of(Margin margin, const std::vector<HeatCell>& cells) {
  std::vector<double> values;
  for (const HeatCell& cell : cells) {
    if (cell.value) values.push_back(*cell.value);
  }
  if (values.empty()) return std::nullopt;
  switch (margin) {
    case Margin::kMean:
      return std::accumulate(values.begin(), values.end(), 0.0) /
             static_cast<double>(values.size());
    case Margin::kMin: return *std::min_element(values.begin(), values.end());
    case Margin::kMax: return *std::max_element(values.begin(), values.end());
  }
  return std::nullopt;
}

SvgPart heat_map_part(const HeatMap& map) {
  const Range range = range_of(map);
  const double left = widest(map.rows), top = 0.75 * widest(map.columns) + kMapGap;
  const auto x_of = [&](size_t column) { return left + kWidth * static_cast<double>(column); };
  const auto y_of = [&](size_t row) { return top + kHeight * static_cast<double>(row); };
  std::string body;
  const auto column_label = [&](size_t column, double shift, const std::string& label) {
    const double x = x_of(column) + shift + kWidth / 2, y = top - 6;
    body += svg_text(x, y, label, "",
                     " transform=\"rotate(-45 " + svg_number(x) + " " + svg_number(y) + ")\"");
  };
  const auto row_label = [&](size_t row, double shift, const std::string& label) {
    body += svg_anchored(left - kMapGap, y_of(row) + shift + kHeight / 2 + 4, label, "end");
  };
  for (size_t c = 0; c < map.columns.size(); ++c) column_label(c, 0, map.columns[c]);
  for (size_t r = 0; r < map.rows.size(); ++r) {
    row_label(r, 0, map.rows[r]);
    for (size_t c = 0; c < map.columns.size(); ++c) {
      body += cell_svg(map.cells[r][c], range, map.decimals, x_of(c), y_of(r),
                       map.rows[r] + ", " + map.columns[c]);
    }
  }
  for (size_t m = 0; m < map.margins.size(); ++m) {
    const Margin margin = map.margins[m];
    const size_t beyond_columns = map.columns.size() + m, beyond_rows = map.rows.size() + m;
    column_label(beyond_columns, kMapGap, name_of(margin));
    row_label(beyond_rows, kMapGap, name_of(margin));
    for (size_t r = 0; r < map.rows.size(); ++r) {
      body += margin_text(margin_of(margin, map.cells[r]), map.decimals,
                          x_of(beyond_columns) + kMapGap, y_of(r));
    }
    for (size_t c = 0; c < map.columns.size(); ++c) {
      body += margin_text(margin_of(margin, column_of(map, c)), map.decimals, x_of(c),
                          y_of(beyond_rows) + kMapGap);
    }
  }
  const size_t margins = map.margins.size();
  const double right_label = 0.75 * widest(map.columns);  // rotated labels exceed the last column
  const double width = x_of(map.columns.size() + margins) + (margins ? kMapGap : 0) + right_label;
  const double height = y_of(map.rows.size() + margins) + (margins ? kMapGap : 0) + 1;
  return {svg_open(width, height, map.title, map.description) + body + "</svg>\n", width, height};
}

std::string heat_map_style() {
  return std::string(kHeatMapCss);
}

}  // namespace lvtext
