#include "framework/pipeline/figures/shared/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/svg_file.h"
#include "framework/pipeline/report/svg_plot.h"

namespace lvtext {
namespace {

/// A point, shared by all charts of a figure.
struct ChartPoint {
  std::string row, label;
  std::string step;  ///< step of its checkpoint; empty: none
  FigureValue x;
  std::vector<FigureValue> y;  ///< one value per chart
};

/// A series of a chart: a line or a set of points.
struct ChartLine {
  std::string label;
  std::vector<ChartPoint> points;
  std::optional<size_t> color = {};  ///< that of its row; unset for a line of several rows
};

std::string metric_name(const Node& metric) {
  return metric.text();
}

/// Returns why a chart cannot show a point; empty if it can.
std::string reason_of(const ChartPoint& point, size_t chart) {
  if (!point.y[chart].value) return point.y[chart].reason;
  return point.x.value ? "" : point.x.reason;
}

void add_missing(const std::string& what, const std::string& reason,
                 std::vector<MissingPart>& missing) {
  const bool is_new = std::none_of(missing.begin(), missing.end(), [&](const MissingPart& part) {
    return part.what == what && part.reason == reason;
  });
  if (is_new) missing.push_back({what, reason});
}

/// The lines of one chart along metrics: for each row its scores from `first` on, over `x`.
std::vector<ChartLine> lines_of_members(const FigureData& data, const std::vector<double>& x,
                                        size_t first, size_t chart, size_t charts) {
  std::vector<ChartLine> lines;
  for (const FigureRow* row : data.rows()) {
    ChartLine& line = lines.emplace_back(ChartLine{row->label, {}, row->color});
    for (size_t i = 0; i < x.size(); ++i) {
      ChartPoint point{row->id, row->label + " at " + format_number(x[i]), "", {x[i], ""}, {}};
      point.y.resize(charts);
      point.y[chart] = row->values.at(first + i);
      line.points.push_back(std::move(point));
    }
    std::stable_sort(
        line.points.begin(), line.points.end(),
        [](const ChartPoint& a, const ChartPoint& b) { return *a.x.value < *b.x.value; });
  }
  return lines;
}

/// The lines of all charts, along rows or checkpoints. Adds rows without checkpoints to `missing`.
std::vector<ChartLine> lines_of_rows(const ChartOptions& options, const FigureData& data,
                                     std::vector<MissingPart>& missing) {
  const std::vector<Node> charts = listed(options.y);
  const bool has_x = !options.x.is_null();
  const bool at_checkpoints = options.along == Along::kCheckpoints;
  const auto split_values = [&](const std::vector<FigureValue>& values, const FigureValue& x) {
    ChartPoint point;
    point.x = has_x ? values.back() : x;
    point.y.assign(values.begin(), values.begin() + static_cast<int64_t>(charts.size()));
    return point;
  };
  std::vector<ChartLine> lines;
  for (const FigureRows& group : data.groups) {
    if (!at_checkpoints) lines.push_back({group.name, {}});
    for (const FigureRow& row : group.rows) {
      if (at_checkpoints) lines.push_back({row.label, {}});
      if (at_checkpoints || group.rows.size() == 1) lines.back().color = row.color;
      if (at_checkpoints && row.checkpoints.empty()) {
        add_missing(row.label, row.no_checkpoints, missing);
        ChartPoint none{row.id, row.label, "", {std::nullopt, row.no_checkpoints}, {}};
        none.y.resize(charts.size(), {std::nullopt, row.no_checkpoints});
        lines.back().points.push_back(std::move(none));
      }
      if (!at_checkpoints) {
        ChartPoint point = split_values(
            row.values, {parse_number(row.matched), "the row id has no number at `*`"});
        point.row = row.id;
        point.label = row.label;
        lines.back().points.push_back(std::move(point));
      }
      for (const FigureCheckpoint& each : row.checkpoints) {
        ChartPoint point =
            split_values(each.values, {static_cast<double>(each.step), std::string()});
        point.row = row.id;
        point.label = row.label + " at " + std::to_string(each.step);
        point.step = std::to_string(each.step);
        lines.back().points.push_back(std::move(point));
      }
    }
    if (has_x || at_checkpoints) continue;
    auto& points = lines.back().points;
    std::stable_sort(points.begin(), points.end(), [](const ChartPoint& a, const ChartPoint& b) {
      return a.x.value.value_or(0) < b.x.value.value_or(0);
    });
  }
  return lines;
}

/// One chart, without its description; adds its points to `csv` and `missing`. `points`: without
/// lines; `by_row`: in the colors of the rows.
Plot plot_of(const ChartOptions& options, bool points, const std::vector<ChartLine>& lines,
             size_t chart, bool by_row, std::string& csv, std::vector<MissingPart>& missing) {
  const std::string metric = metric_name(listed(options.y)[chart]);
  const bool at_checkpoints = options.along == Along::kCheckpoints;
  Plot plot{.title = metric,
            .x_label = !options.x.is_null() ? metric_name(options.x)
                       : at_checkpoints     ? "updates"
                                            : "",
            .y_label = metric,
            .series = {},
            .flip_x = options.flip_x};
  for (const ChartLine& line : lines) {
    Series series{.label = line.label,
                  .x = {},
                  .y = {},
                  .points = points,
                  .markers = true,
                  .color = by_row ? line.color : std::nullopt};
    for (const ChartPoint& point : line.points) {
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      const std::string reason = reason_of(point, chart);
      const auto& [x, y] = std::pair(point.x.value, point.y[chart].value);
      if (reason.empty()) {
        series.x.push_back(*x);
        series.y.push_back(*y);
      } else if (!series.x.empty()) {
        series.x.push_back(kNone);  // interrupt the line at a missing point
        series.y.push_back(kNone);
      }
      if (!reason.empty() && !(at_checkpoints && point.step.empty())) {
        add_missing(point.label + ", " + metric, reason, missing);
      }
      csv += escape_csv(metric) + "," + escape_csv(line.label) + "," + escape_csv(point.row) + "," +
             point.step + "," + (x ? format_number(*x) : "") + "," + (y ? format_number(*y) : "") +
             "," + escape_csv(reason) + "\n";
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

const std::vector<EnumName<Along>>& enum_names(Along) {
  static const std::vector<EnumName<Along>> names{
      {"rows", Along::kRows, "rows"},
      {"checkpoints", Along::kCheckpoints,
       "checkpoints kept by the training of a row; one line per row"},
      {"metrics", Along::kMetrics, "metrics of a pattern, distinct[*]; one line per row"}};
  return names;
}

FigureNeeds Chart::needs() const {
  FigureNeeds needs;
  for (const Node::Entry& line : options_.lines.entries()) {
    needs.rows.push_back({line.key, line.value});
  }
  needs.at_checkpoints = options_.along == Along::kCheckpoints;
  needs.members = options_.along == Along::kMetrics;
  needs.numbered = options_.x.is_null() && !needs.at_checkpoints && !needs.members;
  needs.metrics = listed(options_.y);
  if (!options_.x.is_null()) needs.metrics.push_back(options_.x);
  return needs;
}

Figure Chart::draw(const FigureData& data) const {
  const std::vector<Node> charts = listed(options_.y);
  const bool of_members = options_.along == Along::kMetrics;
  std::vector<MissingPart> missing;
  std::vector<ChartLine> lines;
  if (!of_members) lines = lines_of_rows(options_, data, missing);
  // Lines of several rows have no color of a row; one chart has one meaning of colors.
  const bool by_row = std::all_of(lines.begin(), lines.end(),
                                  [](const ChartLine& line) { return line.color.has_value(); });
  std::string csv = "metric,line,row,checkpoint,x,y,reason\n";
  std::string html = "<div class=\"plots\">\n";
  std::vector<SvgPart> parts;
  std::vector<std::string> names;
  size_t first = 0;
  for (size_t i = 0; i < charts.size(); ++i) {
    if (of_members) {
      lines = lines_of_members(data, data.members.at(i), first, i, charts.size());
      first += data.members[i].size();
    }
    Plot plot = plot_of(options_, points_, lines, i, by_row, csv, missing);
    names.push_back(plot.title);
    std::vector<std::string> shown;
    for (const ChartLine& line : lines) shown.push_back(line.label);
    plot.description = plot.title + (plot.x_label.empty() ? "" : " over " + plot.x_label) + " of " +
                       join(shown) + "; data in " + data.file + ".csv";
    const std::string svg = plot_svg(plot);
    html += svg;
    parts.push_back({svg, plot_width(), plot_height(plot)});
  }
  const std::string description = "Charts of " + join(names) + "; data in " + data.file + ".csv";
  return {.title = data.title,
          .note = "Results of the first seed of each row.",
          .file = data.file,
          .svg = svg_file(data.title, description, parts, 2, missing),
          .csv = std::move(csv),
          .html = html + "</div>\n",
          .missing = std::move(missing)};
}

}  // namespace lvtext
