#include "framework/pipeline/report/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/svg_file.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {
namespace {

constexpr double kWidth = 440;  // text stays readable when scaled down on a phone
constexpr double kLeft = 76;    // fits tick labels such as "3.5e-05" and the axis label
constexpr double kRight = 12;
constexpr double kTop = 30;
constexpr double kInner = 260;
constexpr double kLegendLine = 16;
constexpr double kDigit = 7.5;  // width of a digit of the tick labels, rounded up
constexpr size_t kColors = 10;
constexpr size_t kHalfLine = 24;  // maximum label length with two legend columns

// Maps data to pixels along one axis.
struct Axis {
  bool log = false;
  double lo = 0, hi = 1;
  double from = 0, to = 1;

  bool shows(double value) const { return std::isfinite(value) && (!log || value > 0); }
  double scaled(double value) const { return log ? std::log10(value) : value; }
  double pixel(double value) const {
    return from + (scaled(value) - scaled(lo)) / (scaled(hi) - scaled(lo)) * (to - from);
  }
  std::vector<double> ticks(int requested) const {
    return log ? log_ticks(lo, hi) : nice_ticks(lo, hi, requested);
  }
};

Axis axis_of(const Plot& plot, bool is_x, double from, double to) {
  Axis axis{!is_x && plot.log_y, std::numeric_limits<double>::infinity(),
            -std::numeric_limits<double>::infinity(), from, to};
  for (const Series& series : plot.series) {
    for (const double value : is_x ? series.x : series.y) {
      if (!axis.shows(value)) continue;
      axis.lo = std::min(axis.lo, value);
      axis.hi = std::max(axis.hi, value);
    }
  }
  if (axis.lo > axis.hi) {
    axis.lo = axis.log ? 1 : 0;
    axis.hi = axis.log ? 10 : 1;
  } else if (axis.lo == axis.hi) {
    const double half = axis.lo == 0 ? 1 : std::abs(axis.lo) / 2;
    axis.lo -= half;
    axis.hi += half;
  } else if (!is_x && !axis.log) {
    const double margin = (axis.hi - axis.lo) * 0.04;
    axis.lo -= margin;
    axis.hi += margin;
  }
  return axis;
}

std::string frame(const Plot& plot, const Axis& x, const Axis& y) {
  const double bottom = kTop + kInner;
  std::string out = svg_anchored(kLeft, 18, plot.title, "start", " class=\"title\"");
  for (const double tick : y.ticks(6)) {
    out += svg_line("grid", kLeft, y.pixel(tick), kWidth - kRight, y.pixel(tick));
    out += svg_anchored(kLeft - 6, y.pixel(tick) + 4, format_number(tick), "end");
  }
  for (const double tick : x.ticks(5)) {
    out += svg_line("axis", x.pixel(tick), bottom, x.pixel(tick), bottom + 4);
    const std::string text = format_number(tick);
    // The text of a tick near the right edge would be cut off.
    const double half = kDigit / 2 * static_cast<double>(text.size());
    out += svg_anchored(std::min(x.pixel(tick), kWidth - half), bottom + 17, text, "middle");
  }
  out += svg_line("axis", kLeft, kTop, kLeft, bottom) +
         svg_line("axis", kLeft, bottom, kWidth - kRight, bottom);
  out += svg_anchored((kLeft + kWidth - kRight) / 2, bottom + 35, plot.x_label, "middle");
  const double middle = kTop + kInner / 2;
  out += svg_anchored(14, middle, plot.y_label, "middle",
                      " transform=\"rotate(-90 14 " + svg_number(middle) + ")\"");
  return out;
}

std::string draw(const Series& series, const std::string& style, const Axis& x, const Axis& y) {
  std::string out;
  std::string path;
  bool pen_down = false;
  for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (!x.shows(series.x[i]) || !y.shows(series.y[i])) {
      pen_down = false;
      continue;
    }
    const std::string at_x = svg_number(x.pixel(series.x[i]));
    const std::string at_y = svg_number(y.pixel(series.y[i]));
    if (series.points || series.markers) {
      out +=
          "<circle class=\"p " + style + "\" cx=\"" + at_x + "\" cy=\"" + at_y + "\" r=\"2\"/>\n";
    }
    if (!series.points) {
      path += (pen_down ? "L" : "M") + at_x + " " + at_y;
      pen_down = true;
    }
  }
  if (!path.empty()) out += "<path class=\"l " + style + "\" d=\"" + path + "\"/>\n";
  return out;
}

}  // namespace

std::vector<double> nice_ticks(double lo, double hi, int requested) {
  const double rough = (hi - lo) / std::max(1, requested);
  if (!(rough > 0) || !std::isfinite(rough)) return {};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::ceil(lo / step - 1e-9);
  // The bound on k ends the loop for values so large that adding a step is lost in rounding.
  for (int k = 0; k <= 2 * requested + 2; ++k) {
    const double i = first + k;
    if (i * step > hi + step * 1e-9) break;
    // Round to the decimals of the step, so that 3 * 0.1 is 0.3.
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    ticks.push_back(std::stod(fixed(i * step, decimals)));
  }
  return ticks;
}

std::vector<double> log_ticks(double lo, double hi) {
  const double decades = std::log10(hi / lo);
  std::vector<double> ticks;
  const auto first = static_cast<int>(std::floor(std::log10(lo)));
  const auto last = static_cast<int>(std::floor(std::log10(hi) + 1e-9));
  for (int power = first; power <= last; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1.0 && decades >= 3) continue;
      const double tick = std::stod(format_number(factor) + "e" + std::to_string(power));
      if (tick >= lo * (1 - 1e-9) && tick <= hi * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks;
}

namespace {

size_t legend_columns(const Plot& plot) {
  const bool is_long =
      std::any_of(plot.series.begin(), plot.series.end(),
                  [](const Series& series) { return series.label.size() > kHalfLine; });
  return is_long ? 1 : 2;
}

constexpr double kLegendTop = kTop + kInner + 52;

}  // namespace

double plot_width() {
  return kWidth;
}

double plot_height(const Plot& plot) {
  const size_t columns = legend_columns(plot);
  const size_t lines = (plot.series.size() + columns - 1) / columns;
  return kLegendTop + kLegendLine * static_cast<double>(lines);
}

std::string plot_svg(const Plot& plot) {
  const double right = kWidth - kRight;
  const Axis x = axis_of(plot, true, plot.flip_x ? right : kLeft, plot.flip_x ? kLeft : right);
  const Axis y = axis_of(plot, false, kTop + kInner, kTop);
  std::string out = frame(plot, x, y);
  const size_t columns = legend_columns(plot);
  for (size_t i = 0; i < plot.series.size(); ++i) {
    // From the eleventh series on, colors repeat with dashed lines.
    const Series& series = plot.series[i];
    const size_t color = series.color.value_or(i);
    const std::string style =
        "s" + std::to_string(color % kColors) + (color / kColors % 2 == 1 ? " dashed" : "");
    out += draw(series, style, x, y);
    const double at_x = i % columns == 0 ? kLeft : kLeft + (kWidth - kLeft) / 2;
    const size_t legend_row = i / columns;
    const double at_y = kLegendTop + kLegendLine * static_cast<double>(legend_row);
    if (series.points) {
      out += "<circle class=\"p " + style + "\" cx=\"" + svg_number(at_x + 9) + "\" cy=\"" +
             svg_number(at_y - 4) + "\" r=\"3\"/>\n";
    } else {
      out += svg_line("l " + style, at_x, at_y - 4, at_x + 18, at_y - 4);
    }
    out += svg_anchored(at_x + 24, at_y, series.label, "start");
  }
  const std::string description = plot.description.empty()
                                      ? ""
                                      : "<title>" + escape_html(plot.title) + "</title>\n<desc>" +
                                            escape_html(plot.description) + "</desc>\n";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" +
         escape_html(plot.title) + "\" viewBox=\"0 0 " + svg_number(kWidth) + " " +
         svg_number(plot_height(plot)) + "\">\n" + description + out + "</svg>\n";
}

}  // namespace lvtext
