// Figure kind `slices`: one score over several others.
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/svg_file.h"
#include "framework/pipeline/report/svg_plot.h"

namespace lvtext {
namespace {

struct SlicesOptions {
  Node x, y;
  template <class V>
  void visit(V& v) {
    v.field("x", x, "metrics on the x axes, one chart each", required());
    v.field("y", y, "metric on the y axis of all charts", required());
  }
};

class Slices : public FigureKind {
 public:
  static constexpr int kRevision = 1;
  explicit Slices(const SlicesOptions& options) : options_(options) {}

  FigureNeeds needs() const override {
    FigureNeeds needs{.metrics = listed(options_.x)};
    needs.metrics.push_back(options_.y);
    return needs;
  }

  Figure draw(const FigureData& data) const override {
    const std::vector<Node> charts = listed(options_.x);
    const std::string y = options_.y.text();
    std::string html = "<div class=\"plots\">\n", csv = "metric,row,x,y\n";
    std::vector<SvgPart> parts;
    std::vector<MissingPart> missing;
    std::vector<std::string> names;
    for (const FigureRow* row : data.rows()) {
      if (!row->values.back().value) missing.push_back({row->label, row->values.back().reason});
    }
    for (size_t i = 0; i < charts.size(); ++i) {
      const std::string x = charts[i].text();
      names.push_back(x);
      Series series{.label = y, .x = {}, .y = {}, .points = true};
      for (const FigureRow* row : data.rows()) {
        const auto& at = row->values[i].value;
        const auto& value = row->values.back().value;
        if (!at || !value) continue;
        series.x.push_back(*at);
        series.y.push_back(*value);
        csv += escape_csv(x) + "," + escape_csv(row->id) + "," + format_number(*at) + "," +
               format_number(*value) + "\n";
      }
      const Plot plot{.title = x,
                      .x_label = x,
                      .y_label = y,
                      .series = {std::move(series)},
                      .description = y + " over " + x + "; data in " + data.file + ".csv"};
      const std::string svg = plot_svg(plot);
      html += svg;
      parts.push_back({svg, plot_width(), plot_height(plot)});
    }
    const std::string description = y + " over " + join(names) + "; data in " + data.file + ".csv";
    return {.title = data.title,
            .file = data.file,
            .svg = svg_file(data.title, description, parts, 2, missing),
            .csv = std::move(csv),
            .html = html + "</div>\n",
            .missing = std::move(missing)};
  }

 private:
  SlicesOptions options_;
};

}  // namespace

void register_slices(Registries& registries) {
  add_figure<Slices, SlicesOptions>(registries, "slices",
                                    "One score over several others, one chart each", {});
}

}  // namespace lvtext
