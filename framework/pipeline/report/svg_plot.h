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
  bool log_x = false, log_y = false;
  std::vector<Series> series;
  bool flip_x = false;           ///< values of x grow to the left
  std::string description = {};  ///< for readers who do not see the chart
};

/// Round tick positions (1, 2 or 5 times a power of ten) inside [lo, hi], about `wanted` of them.
std::vector<double> nice_ticks(double lo, double hi, int wanted);
/// Ticks of a logarithmic axis inside [lo, hi]: powers of ten, with 2 and 5 between if few.
std::vector<double> log_ticks(double lo, double hi);

/// The colors `--c0`...`--c9` of the series on light and on dark ground, and the classes that use
/// them, with `--soft` for axes and `--rule` for grids.
inline constexpr const char* kPlotColors =
    R"(--c0:#0b62c4;--c1:#c4520b;--c2:#17803d;--c3:#9333b8;--c4:#b3261e;
--c5:#0e7c86;--c6:#8a6d00;--c7:#c02677;--c8:#5b5bd6;--c9:#6b6f76)";
inline constexpr const char* kDarkPlotColors =
    R"(--c0:#6cb2ff;--c1:#ffa657;--c2:#56d364;--c3:#d2a8ff;
--c4:#ff7b72;--c5:#56d4dd;--c6:#e3b341;--c7:#ff8fc7;--c8:#a5a5ff;--c9:#aab1b9)";
inline constexpr const char* kPlotClasses = R"(.axis{stroke:var(--soft)}.grid{stroke:var(--rule)}
.l{fill:none;stroke-width:1.8}.dashed{stroke-dasharray:5 3}.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}
.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}.s5{stroke:var(--c5)}.s6{stroke:var(--c6)}
.s7{stroke:var(--c7)}.s8{stroke:var(--c8)}.s9{stroke:var(--c9)}.p{fill:none})";

/// The chart as one <svg> element with a viewBox, so that it scales to its container. Colors are
/// CSS classes (`axis`, `grid`, `s0`...`s9`) for the page to set, the same bytes for the same
/// input.
std::string plot_svg(const Plot& plot);
/// The size of its viewBox.
double plot_width();
double plot_height(const Plot& plot);

}  // namespace lvtext
