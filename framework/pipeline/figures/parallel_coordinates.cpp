// Figure kind `parallel_coordinates`: one vertical axis per score, one line per row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/svg_file.h"
#include "framework/pipeline/report/svg_plot.h"

namespace lvtext {
namespace {

constexpr double kWidth = 880, kTop = 44, kInner = 240, kSide = 70;
constexpr size_t kColored = 10;  // more lines than colors are drawn alike

struct ParallelCoordinatesOptions {
  Node axes;
  template <class V>
  void visit(V& v) {
    v.field("axes", axes, "metrics, one axis each, from left to right", required());
  }
};

/// A vertical axis from the lowest to the highest value; logarithmic if these are positive and
/// differ by a factor of 100 or more.
struct VerticalAxis {
  std::string name;
  double x = 0, lo = std::numeric_limits<double>::infinity(), hi = -lo;
  bool is_log = false;

  void include(double value) {
    lo = std::min(lo, value);
    hi = std::max(hi, value);
    is_log = lo > 0 && hi / lo >= 100;
  }
  double scaled(double value) const { return is_log ? std::log10(value) : value; }
  double pixel(double value) const {
    const double range = scaled(hi) - scaled(lo);
    const double share = range > 0 ? (scaled(value) - scaled(lo)) / range : 0.5;
    return kTop + kInner * (1 - share);
  }
  std::vector<double> ticks() const {
    if (!(lo < hi)) return {lo};
    return is_log ? log_ticks(lo, hi) : nice_ticks(lo, hi, 5);
  }
};

std::string drawn_axis(const VerticalAxis& axis, const std::string& anchor, bool is_raised) {
  std::string svg = svg_line("axis", axis.x, kTop, axis.x, kTop + kInner);
  // Names of neighboring axes do not overlap.
  const double name_at = anchor == "start" ? axis.x - kSide
                         : anchor == "end" ? axis.x + kSide
                                           : axis.x;
  svg += svg_anchored(name_at, is_raised ? 14 : 30, axis.name, anchor);
  if (axis.lo > axis.hi) return svg;
  for (const double tick : axis.ticks()) {
    svg += svg_anchored(axis.x - 5, axis.pixel(tick) + 4, format_number(tick), "end");
  }
  return svg;
}

class ParallelCoordinates : public FigureKind {
 public:
  static constexpr int kRevision = 1;
  explicit ParallelCoordinates(const ParallelCoordinatesOptions& options) : options_(options) {}

  FigureNeeds needs() const override { return {.metrics = listed(options_.axes)}; }

  Figure draw(const FigureData& data) const override {
    std::vector<VerticalAxis> axes;
    for (const Node& metric : listed(options_.axes)) axes.push_back({.name = metric.text()});
    const auto rows = data.rows();
    const double gap =
        axes.size() > 1 ? (kWidth - 2 * kSide) / static_cast<double>(axes.size() - 1) : 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      axes[i].x = kSide + gap * static_cast<double>(i);
      for (const FigureRow* row : rows) {
        if (row->values[i].value) axes[i].include(*row->values[i].value);
      }
    }
    const bool is_colored = rows.size() <= kColored;
    std::string svg, csv = "row";
    std::vector<MissingPart> missing;
    std::vector<std::string> names;
    for (size_t i = 0; i < axes.size(); ++i) {
      csv += "," + escape_csv(axes[i].name);
      names.push_back(axes[i].name);
      // The names of the outer axes end at the edges of the figure.
      const char* anchor = i == 0 ? "start" : i + 1 == axes.size() ? "end" : "middle";
      svg += drawn_axis(axes[i], anchor, i % 2 == 1);
    }
    csv += ",reason\n";
    const double below = kTop + kInner + 20;
    for (size_t r = rows.size(); r-- > 0;) {  // the first row on top
      const size_t color = is_colored ? r : 0;
      svg += line_of(*rows[r], axes, "l s" + std::to_string(color), is_colored || r == 0);
      if (!is_colored) continue;
      const double y = below + 16 * static_cast<double>(r);
      svg += svg_line("l s" + std::to_string(color), kSide, y - 4, kSide + 18, y - 4) +
             svg_anchored(kSide + 24, y, rows[r]->label, "start");
    }
    for (const FigureRow* row : rows) {
      csv += escape_csv(row->id);
      std::string reasons;
      for (size_t i = 0; i < axes.size(); ++i) {
        const FigureValue& value = row->values[i];
        csv += "," + (value.value ? format_number(*value.value) : std::string());
        if (value.value || value.reason.empty()) continue;
        reasons += (reasons.empty() ? "" : "; ") + axes[i].name + ": " + value.reason;
      }
      csv += "," + escape_csv(reasons) + "\n";
      if (!reasons.empty()) missing.push_back({row->label, reasons});
    }
    const double height = below + (is_colored ? 16 * static_cast<double>(rows.size()) : 0);
    const std::string description = "Parallel coordinates of " +
                                    format_count(std::ssize(rows), "row") + " over " + join(names) +
                                    "; data in " + data.file + ".csv";
    const SvgPart part{svg_open(kWidth, height, data.title, description) + svg + "</svg>\n", kWidth,
                       height};
    return {.title = data.title,
            .note = is_colored ? "" : "The first row of the table is drawn on top.",
            .file = data.file,
            .svg = svg_file(data.title, description, {part}, 1, missing),
            .csv = std::move(csv),
            .html = svg_in_page(part),
            .missing = std::move(missing)};
  }

 private:
  /// A line through the values of a row; interrupted where one is missing.
  static std::string line_of(const FigureRow& row, const std::vector<VerticalAxis>& axes,
                             const std::string& style, bool is_strong) {
    std::string path;
    bool pen_down = false;
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto& value = row.values[i].value;
      if (value) {
        path += (pen_down ? "L" : "M") + svg_number(axes[i].x) + " " +
                svg_number(axes[i].pixel(*value));
      }
      pen_down = value.has_value();
    }
    if (path.empty()) return "";
    return "<path class=\"" + style + "\" opacity=\"" + (is_strong ? "1" : "0.3") + "\" d=\"" +
           path + "\"><title>" + escape_html(row.label) + "</title></path>\n";
  }

  ParallelCoordinatesOptions options_;
};

}  // namespace

void register_parallel_coordinates(Registries& registries) {
  add_figure<ParallelCoordinates, ParallelCoordinatesOptions>(
      registries, "parallel_coordinates", "One vertical axis per score, one line per row", {});
}

}  // namespace lvtext
