// Line and scatter charts as SVG.
#pragma once

#include <string>
#include <vector>

namespace lvtext {

/// One line of a chart, or one cloud of points.
struct Series {
  std::string label;
  /// Equal sizes. A value that is not finite (or not positive on a logarithmic axis) is a gap.
  std::vector<double> x, y;
  bool points = false;   ///< points without a line
  bool markers = false;  ///< points on the line
};

/// A chart.
struct Plot {
  std::string title;
  /// With units: "updates", "nats per sentence".
  std::string x_label, y_label;
  bool log_y = false;
  std::vector<Series> series;
  bool flip_x = false;           ///< values of x grow to the left
  std::string description = {};  ///< for readers who do not see the chart
};

/// Round tick positions (1, 2 or 5 times a power of ten) inside [lo, hi], about `wanted` of them.
std::vector<double> nice_ticks(double lo, double hi, int wanted);
/// Ticks of a logarithmic axis inside [lo, hi]: powers of ten, with 2 and 5 between if few.
std::vector<double> log_ticks(double lo, double hi);

/// The chart as one <svg> element with a viewBox, so that it scales to its container. Colors are
/// CSS classes (`axis`, `grid`, `s0`...`s9`, defined by page/charts.css); the same input gives the
/// same bytes.
std::string plot_svg(const Plot& plot);
/// The size of its viewBox.
double plot_width();
double plot_height(const Plot& plot);

}  // namespace lvtext
