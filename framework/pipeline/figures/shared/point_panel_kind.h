// Base class of figures with one panel of points per row.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/report/point_panels.h"

namespace lvtext {

/// The points of a row's panel, each belonging to a sentence of the legend.
struct Drawing {
  std::vector<FigureSentence> legend;  ///< an id means the same sentence in all panels
  std::vector<FigurePoint> points;     ///< `sentence` is an index in this legend
};

/// Merges the legends of the panels, so that an id has the same color in all of them.
class PointPanelKind : public FigureKind {
 public:
  /// Throws Error with a reason, which is shown in place of the panel.
  virtual Drawing draw_panel(const Inputs& inputs) const = 0;
  /// The caption of the figure.
  virtual std::string note() const = 0;
  Figure draw(const FigureData& data) const final;
};

}  // namespace lvtext
