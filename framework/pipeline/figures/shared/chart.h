// Charts of scores, with lines or with points.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/pipeline/figures/figure_data.h"

namespace lvtext {

/// Meaning of the points of a chart.
enum class Along { kRows, kCheckpoints, kMetrics };
const std::vector<EnumName<Along>>& enum_names(Along);

struct ChartOptions {
  Node lines, x, y;
  Along along = Along::kRows;
  bool flip_x = false;

  template <class V>
  void visit(V& v) {
    v.field("lines", lines, "name: rows and patterns, instead of `rows`; one line per name");
    v.field("x", x,
            "metric on the x axis; unset: the number matched by `*` in the rows' pattern, the "
            "updates along checkpoints, or the number matched by `*` in `y` along metrics");
    v.field("y", y, "metric on the y axis, or pattern along metrics; several: one chart each",
            required());
    v.field("along", along, "meaning of the points of a line");
    v.field("flip_x", flip_x, "x values increase to the left");
    v.check(lines.is_null() || lines.is_mapping(), "lines must be a mapping, name: rows");
    v.check(along != Along::kMetrics || (x.is_null() && lines.is_null()),
            "along metrics, x is the number matched by `*` in `y`, and each of `rows` is a line");
  }
};

/// Lines or points of the rows' scores.
class Chart : public FigureKind {
 public:
  Chart(ChartOptions options, bool points) : options_(std::move(options)), points_(points) {}
  FigureNeeds needs() const override;
  Figure draw(const FigureData& data) const override;

 private:
  ChartOptions options_;
  bool points_;
};

}  // namespace lvtext
