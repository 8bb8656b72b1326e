#include "framework/pipeline/figures/shared/point_panel_kind.h"

namespace lvtext {
namespace {

/// Returns the index of a sentence in the legend; adds it if it is new.
int64_t legend_index(PointPanels& figure, const FigureSentence& sentence) {
  for (size_t i = 0; i < figure.legend.size(); ++i) {
    if (figure.legend[i].id == sentence.id) return static_cast<int64_t>(i);
  }
  figure.legend.push_back(sentence);
  return static_cast<int64_t>(figure.legend.size()) - 1;
}

/// Draws a panel, or sets `panel.reason` to the reason why it cannot be drawn.
void draw_into(const PointPanelKind& kind, const Inputs& inputs, PointPanels& figure,
               FigurePanel& panel) {
  Drawing drawing;
  try {
    drawing = kind.draw_panel(inputs);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    panel.reason = error.what();
    return;
  }
  panel.points = std::move(drawing.points);
  for (FigurePoint& point : panel.points) {
    point.sentence = legend_index(figure, drawing.legend.at(point.sentence));
  }
}

}  // namespace

Figure PointPanelKind::draw(const FigureData& data) const {
  PointPanels figure{.title = data.title, .note = note()};
  for (const FigureRow* row : data.rows()) {
    FigurePanel panel{row->id, row->label, row->reason, {}};
    if (panel.reason.empty()) draw_into(*this, row->inputs, figure, panel);
    figure.panels.push_back(std::move(panel));
  }
  return draw_panels(figure, data.file);
}

}  // namespace lvtext
