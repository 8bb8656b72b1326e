// Kinds of figures that draw a panel of points for each row.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/report/point_panels.h"

namespace lvtext {

/// What a panel shows of one row: points, each of one of the sentences of the legend.
struct Drawing {
  std::vector<FigureSentence> legend;  ///< an id stands for the same sentence in every panel
  std::vector<FigurePoint> points;     ///< `sentence` is an index in this legend
};

/// Joins the legends of the panels, so that an id has one color in all of them.
class PointPanelKind : public FigureKind {
 public:
  /// Throws Error with a reason that stands in the panel's place.
  virtual Drawing draw_panel(const Inputs& inputs) const = 0;
  /// What the figure shows, in the words of its caption.
  virtual std::string note() const = 0;
  Figure draw(const FigureData& data) const final;
};

}  // namespace lvtext
