// Line and scatter charts as SVG.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// One line or point series of a chart.
struct Series {
  std::string label;
  /// Of equal size. A value that is not finite, or not positive on a logarithmic axis, is a gap.
  std::vector<double> x, y;
  bool points = false;               ///< points without a line
  bool markers = false;              ///< points on the line
  std::optional<size_t> color = {};  ///< index of its color; unset: its index among the series
};

/// A chart.
struct Plot {
  std::string title;
  /// With units: "updates", "nats per sentence".
  std::string x_label, y_label;
  bool log_y = false;
  std::vector<Series> series;
  bool flip_x = false;           ///< x increases to the left
  std::string description = {};  ///< text alternative for screen readers
};

/// Round tick positions (1, 2 or 5 times a power of ten) inside [lo, hi], about `requested` of
/// them.
std::vector<double> nice_ticks(double lo, double hi, int requested);
/// Ticks of a logarithmic axis inside [lo, hi]: powers of ten, and their multiples by 2 and 5 for
/// fewer than three decades.
std::vector<double> log_ticks(double lo, double hi);

/// The chart as one <svg> element with a viewBox, so that it scales to its container. Colors are
/// CSS classes (`axis`, `grid`, `s0`...`s9`, defined by page/charts.css). Deterministic.
std::string plot_svg(const Plot& plot);
/// Size of the viewBox of plot_svg().
double plot_width();
double plot_height(const Plot& plot);

}  // namespace lvtext
