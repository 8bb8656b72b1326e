// A kind of figure in a plug-in: lengths of samples.
#include <algorithm>

#include "framework/core/model/plugin.h"
#include "framework/pipeline/figures/shared/point_panel_kind.h"

namespace example {

using namespace lvtext;

struct LengthFigureOptions {
  int64_t samples = 100;

  template <class V>
  void visit(V& v) {
    v.field("samples", samples, "number of samples from the first on, one point each", at_least(1));
  }
};

/// The first samples by their index and their length in bytes.
class LengthFigure : public PointPanelKind {
 public:
  static constexpr int kRevision = 1;
  explicit LengthFigure(const LengthFigureOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "text",
             .help = "the sentences",
             .by_default = reference("row.samples"),
             .rows = options_.samples}};
  }
  Drawing draw_panel(const Inputs& inputs) const override {
    const Text text = inputs.text("text").first(options_.samples);
    Drawing drawing{.legend = {{0, "samples"}}};
    for (size_t i = 0; i < text.size(); ++i) {
      const auto x = static_cast<double>(i), y = static_cast<double>(text.lines()[i].size());
      drawing.points.push_back({0, static_cast<int64_t>(i), x, y, x, y});
    }
    return drawing;
  }
  std::string note() const override { return "Samples by their number and length in bytes."; }

 private:
  LengthFigureOptions options_;
};

void add_length_figure(Registries& registries) {
  add_figure<LengthFigure, LengthFigureOptions>(registries, "lengths", "Lengths of samples", {});
}

}  // namespace example
