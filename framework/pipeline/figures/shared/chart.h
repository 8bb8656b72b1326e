// Charts of scores: what lines and clouds of points have in common.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/pipeline/figures/figure_data.h"

namespace lvtext {

/// What the points of a chart are.
enum class Along { kRows, kCheckpoints };
const std::vector<EnumName<Along>>& enum_names(Along);

struct ChartOptions {
  Node lines, x, y;
  Along along = Along::kRows;
  bool flip_x = false;

  template <class V>
  void visit(V& v) {
    v.field("lines", lines,
            "name: rows and patterns, in place of `rows`; a line for each of the names");
    v.field("x", x,
            "the metric on the x axis; unset: the number that `*` matched in the rows' pattern, "
            "along checkpoints the updates");
    v.field("y", y, "the metric on the y axis; several: a chart each", required());
    v.field("along", along, "what the points of a line are");
    v.field("flip_x", flip_x, "values of x grow to the left");
    v.check(lines.is_null() || lines.is_mapping(), "lines is a mapping, name: rows");
  }
};

/// Lines, or clouds of points, of the rows' scores.
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
