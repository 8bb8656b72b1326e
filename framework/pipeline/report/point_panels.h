// Panels side by side in which each sentence is a cloud of points: as SVG in the page, and as SVG,
// CSV file beside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/pipeline/report/figure.h"

namespace lvtext {

/// One draw of a sentence's code, laid out in the plane.
struct FigurePoint {
  int64_t sentence = 0;  ///< index in the legend
  int64_t draw = 0;
  double x = 0, y = 0;
  double shown_x = 0, shown_y = 0;  ///< with the noise of the plot
};

/// One model.
struct FigurePanel {
  std::string row, label;
  std::string reason;  ///< why there are no points
  std::vector<FigurePoint> points;
};

/// A sentence that panels show, each in the same color everywhere.
struct FigureSentence {
  int64_t id = 0;  ///< line of the test set, from 0
  std::string text;
};

struct PointPanels {
  std::string title, note;
  std::vector<FigureSentence> legend;
  std::vector<FigurePanel> panels;
};

/// The style of the panels' classes, light and dark, for the page or file that holds them. Colors
/// 0 to 9 are those of Petroff 2021, "Accessible color sequences for data visualization", which
/// people who see fewer colors can tell apart; two are lighter in the dark.
std::string panel_style();

/// Panel `index` as one <svg> element with a viewBox. Each sentence's number stands at the median
/// of its points, so that no color is needed to read it. Axes have equal scales and, as those of
/// t-SNE mean nothing, no ticks.
std::string panel_svg(const PointPanels& figure, size_t index);

/// The whole figure with all its files: SVG with title and legend, and CSV with the columns
/// row,sentence_id,draw,x,y, the layout without the noise of the plot. `file` names them, without
/// extension.
Figure draw_panels(const PointPanels& figure, const std::string& file);

}  // namespace lvtext
