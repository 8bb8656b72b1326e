// Scatter plot panels in which each sentence is a cloud of points: SVG in the page, and SVG and CSV
// files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/pipeline/report/figure.h"

namespace lvtext {

/// 2-D embedding of one latent vector drawn for a sentence.
struct FigurePoint {
  int64_t sentence = 0;  ///< index in the legend
  int64_t draw = 0;
  double x = 0, y = 0;
  double shown_x = 0, shown_y = 0;  ///< with jitter for the plot
};

/// The panel of one model.
struct FigurePanel {
  std::string row, label;
  std::string reason;  ///< why there are no points, if so
  std::vector<FigurePoint> points;
};

/// A sentence; it has the same color in all panels.
struct FigureSentence {
  int64_t id = 0;  ///< line of the test set, from 0
  std::string text;
};

struct PointPanels {
  std::string title, note;
  std::vector<FigureSentence> legend;
  std::vector<FigurePanel> panels;
};

/// CSS for the panels' classes, light and dark, for the page or file that contains them. Colors 0
/// to 9 are the colorblind-safe sequence of Petroff 2021, "Accessible color sequences for data
/// visualization"; two are lighter in dark mode.
std::string panel_style();

/// Panel `index` as one <svg> element with a viewBox. The number of each sentence is drawn just
/// above the median of its points, so that the panel can be read without colors. Both axes have the
/// same scale, and no ticks, because t-SNE coordinates have no meaning.
std::string panel_svg(const PointPanels& figure, size_t index);

/// The whole figure with its files: SVG with title and legend, and CSV with the columns
/// row,sentence_id,draw,x,y, where x and y are without jitter. `file`: base name of the files.
Figure draw_panels(const PointPanels& figure, const std::string& file);

}  // namespace lvtext
