// Figure kind `heat_map`: scores over two axes as colored cells.
#include "framework/pipeline/report/heat_map.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {

const std::vector<EnumName<Margin>>& enum_names(Margin) {
  static const std::vector<EnumName<Margin>> names{{"mean", Margin::kMean, "mean"},
                                                   {"min", Margin::kMin, "minimum"},
                                                   {"max", Margin::kMax, "maximum"}};
  return names;
}

namespace {

struct HeatMapOptions {
  Node of;
  std::vector<Margin> margin;

  template <class V>
  void visit(V& v) {
    v.field("of", of,
            "pattern of metrics without row inputs, with two axes: rho[*,*]; the first axis is "
            "vertical, the second horizontal",
            required());
    v.field("margin", margin, "statistics of each row and column, shown beside the map");
  }
};

size_t index_in(std::vector<std::string>& labels, const std::string& label) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found != labels.end()) return static_cast<size_t>(found - labels.begin());
  labels.push_back(label);
  return labels.size() - 1;
}

class HeatMapKind : public FigureKind {
 public:
  static constexpr int kRevision = 1;
  explicit HeatMapKind(const HeatMapOptions& options) : options_(options) {}

  FigureNeeds needs() const override {
    return {.takes_rows = false, .row_free = {options_.of}, .stars = 2};
  }

  Figure draw(const FigureData& data) const override {
    HeatMap map{.title = data.title, .margins = options_.margin};
    for (const FigureScore& score : data.scores) {
      index_in(map.rows, score.matched.at(0));
      index_in(map.columns, score.matched.at(1));
    }
    const HeatCell none{std::nullopt, "no such metric"};
    map.cells.assign(map.rows.size(), std::vector<HeatCell>(map.columns.size(), none));
    std::string csv = "row,column,value,reason\n";
    std::vector<MissingPart> missing;
    for (const FigureScore& score : data.scores) {
      const auto& [value, reason] = score.value;
      map.cells[index_in(map.rows, score.matched[0])][index_in(map.columns, score.matched[1])] = {
          value, reason};
      csv += escape_csv(score.matched[0]) + "," + escape_csv(score.matched[1]) + "," +
             (value ? format_number(*value) : "") + "," + escape_csv(reason) + "\n";
      if (!value) missing.push_back({score.id, reason});
    }
    map.description = options_.of.text() + " over " + std::to_string(map.rows.size()) + " by " +
                      std::to_string(map.columns.size()) + " values; data in " + data.file + ".csv";
    const SvgPart part = heat_map_part(map);
    return {
        .title = data.title,
        .note = map.margins.empty() ? "" : "Margins are computed from the cells that have a value.",
        .file = data.file,
        .svg = svg_file(data.title, map.description, {part}, 1, missing, heat_map_style()),
        .csv = std::move(csv),
        .html = svg_in_page(part),
        .style = heat_map_style(),
        .missing = std::move(missing)};
  }

 private:
  HeatMapOptions options_;
};

}  // namespace

void register_heat_map(Registries& registries) {
  add_figure<HeatMapKind, HeatMapOptions>(
      registries, "heat_map", "Heat map of scores over two axes, for metrics without row inputs",
      {});
}

}  // namespace lvtext
