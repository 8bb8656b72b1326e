#include "framework/pipeline/check/checked_figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/core/options/numbers.h"
#include "framework/pipeline/check/checked_inputs.h"
#include "framework/pipeline/check/checked_recipe.h"
#include "framework/pipeline/check/checked_selects.h"
#include "framework/pipeline/check/names.h"

namespace lvtext {
namespace {

/// Returns the text that each star of a pattern matches in an id.
std::vector<std::string> stars_of(const Reference& pattern, const std::string& id) {
  const auto values = parse_entry_id(id).value_or(EntryId{}).values;
  std::vector<std::string> stars;
  for (size_t i = 0; i < values.size() && i < pattern.values.size(); ++i) {
    if (pattern.values[i] == "*") stars.push_back(values[i]);
  }
  return stars;
}

std::optional<CheckedFigure> read_figure(const Node::Entry& figure, const CheckContext& context,
                                         const Names& names, InputParser& inputs) {
  const std::string path = "figures." + figure.key;
  const FigureOptions options = parse_block<FigureOptions>(figure.value, context.errors, path);
  const Component* kind = options.figure.empty()  // reported as a missing key
                              ? nullptr
                              : find_component(context.registries.figures, options.figure,
                                               location_of(figure.value, "figure"), context.errors);
  const auto configured = kind ? kind->configure(options.own, context.errors, path) : std::nullopt;
  if (!configured) {
    names.each_rows(options.rows, path);  // its mistakes, before those of the kind are mended
    return std::nullopt;
  }
  return CheckedFigure{figure.key, options, *configured,
                       inputs.read(*configured, options.inputs, figure.key_location,
                                   {.of_row = true}, path + ".inputs"),
                       configured->figure->needs()};
}

/// Reads the references of one recipe's figures.
class FigureReader {
 public:
  FigureReader(CheckedRecipe& recipe, const Names& names, Errors& errors)
      : recipe_(recipe), names_(names), errors_(errors) {}

  void read(CheckedFigure& figure) {
    const std::string path = "figures." + figure.id;
    read_rows(figure, path);
    read_choose(figure, path);
    for (const Node& metric : figure.needs.metrics) {
      auto named = metrics_named(metric, path);
      if (figure.needs.members) {
        figure.named.members.push_back(numbers_of(named, metric, path));
      } else if (named.size() > 1) {
        errors_.add(metric.location(), path + " takes one metric here, and " +
                                           shown(metric.text()) + " names " +
                                           std::to_string(named.size()));
      }
      figure.named.metrics.insert(figure.named.metrics.end(), named.begin(), named.end());
    }
    for (const Node& metric : figure.needs.row_free) read_row_free(metric, figure, path);
  }

 private:
  void read_choose(const CheckedFigure& figure, const std::string& path) {
    const std::string& choose = figure.options.choose;
    const Node& written = *recipe_.recipe.options.figures.find(figure.id);
    check_choose(choose, written, path, recipe_.selects, errors_);
    const bool uses_rows = figure.needs.takes_rows || !figure.needs.rows.empty();
    if (choose.empty() || (uses_rows && !figure.needs.at_checkpoints)) return;
    const std::string& kind = figure.kind.component->about.name;
    errors_.add(written.find("choose")->location(),
                path + ".choose: " + kind +
                    (uses_rows ? " shows several checkpoints here" : " does not use rows"),
                "remove it");
  }

  void read_rows(CheckedFigure& figure, const std::string& path) {
    const Node& written = figure.options.rows;
    const FigureNeeds& needs = figure.needs;
    const std::string& kind = figure.kind.component->about.name;
    const Node& section = recipe_.recipe.options.figures;
    const SourceLocation& location = section.find_entry(figure.id)->key_location;
    if (!needs.rows.empty() || !needs.takes_rows) {
      for (const NamedRows& rows : needs.rows) add_rows(rows, needs, path, figure);
      if (written.is_null()) return;
      errors_.add(written.location(), path + ".rows: " + kind + " does not use rows",
                  needs.rows.empty() ? "remove it" : "its other options name them");
      return;
    }
    const std::vector<Node> items = listed(written);
    if (items.empty()) {
      errors_.add(written.location().source ? written.location() : location,
                  "missing key " + shown(path + ".rows"),
                  "row ids and patterns, such as \"ae[*]\"");
    }
    for (const Node& item : items) add_rows({"", item}, needs, path, figure);
  }

  void add_rows(const NamedRows& named, const FigureNeeds& needs, const std::string& path,
                CheckedFigure& figure) {
    FigureRowIds group{named.name, {}};
    for (const Node& item : listed(named.written)) {
      const auto found = names_.rows(item, path);
      if (!found) continue;
      const Reference& reference = found->reference;
      if (group.name.empty()) group.name = reference.id;
      const bool is_pattern = reference.is_pattern();
      for (const auto& id : found->ids) {
        group.rows.push_back({id, is_pattern ? matched(reference, id) : ""});
        if (needs.numbered) check_number(item, group.rows.back(), path);
      }
      if (is_pattern || found->removed.empty()) continue;
      // Rows that are not run have a reason; rows removed by a profile do not exist.
      group.rows.push_back({reference.entry(), "", found->removed.front()});
    }
    figure.named.rows.push_back(std::move(group));
  }

  void check_number(const Node& item, const FigureRowIds::Row& row, const std::string& path) {
    if (row.matched.empty()) {
      errors_.add(item.location(),
                  path + ".x is missing: " + shown(item.text()) +
                      " has no * whose value could be on the x axis",
                  "a metric, or a pattern such as \"ae[*]\"");
    } else if (!parse_number(row.matched)) {
      errors_.add(item.location(),
                  path + ".x is missing: the value of * in " + shown(row.id) + ", " +
                      shown(row.matched) + ", is not a number",
                  "name a metric");
    }
  }

  /// Returns the numbers that `*` matched in the members of a pattern of metrics, without those
  /// that a profile removed, which are erased.
  std::vector<double> numbers_of(std::vector<FigureMetric>& members, const Node& written,
                                 const std::string& path) {
    std::erase_if(members, [](const FigureMetric& each) { return !each.reason.empty(); });
    std::vector<double> numbers;
    for (const FigureMetric& each : members) {
      const auto number = each.matched.size() == 1 ? parse_number(each.matched[0]) : std::nullopt;
      if (number) {
        numbers.push_back(*number);
        continue;
      }
      errors_.add(written.location(),
                  path + ": " + shown(written.text()) +
                      (each.matched.size() == 1
                           ? " names " + shown(each.name) + ", whose value of * is not a number"
                           : " needs one * whose value could be on the x axis"),
                  "such as distinct[*]");
      break;
    }
    return numbers;
  }

  /// Returns the metrics that a reference names; removed metrics with their reason.
  std::vector<FigureMetric> metrics_named(const Node& written, const std::string& path) {
    const auto found = names_.metrics(written, path);
    if (!found) return {};
    const Reference& reference = found->reference;
    const std::string score = reference.part.empty() ? "" : "." + reference.part;
    std::vector<FigureMetric> named;
    for (const auto& id : found->ids) {
      named.push_back({id + score, id, reference.part, stars_of(reference, id)});
    }
    if (named.empty() && !found->removed.empty()) {
      named.push_back({written.text(), "", "", {}, "not run: " + found->removed.front()});
    }
    return named;
  }

  void read_row_free(const Node& written, CheckedFigure& figure, const std::string& path) {
    const auto reference = parse_reference(written.text());
    const size_t stars = reference ? static_cast<size_t>(std::count(reference->values.begin(),
                                                                    reference->values.end(), "*"))
                                   : 0;
    if (figure.needs.stars && stars != *figure.needs.stars) {
      errors_.add(written.location(),
                  path + ": " + shown(written.text()) + " has " + std::to_string(stars) +
                      " `*`, and " + figure.kind.component->about.name + " takes " +
                      std::to_string(*figure.needs.stars),
                  "such as rho[*,*]");
      return;
    }
    for (auto& metric : metrics_named(written, path)) {
      const CheckedMetric* checked = find_entry(recipe_.metrics, metric.metric);
      if (checked && uses_row(*checked, recipe_.rows)) {
        errors_.add(written.location(),
                    path + ": " + shown(metric.name) + " has a score per row, but " +
                        figure.kind.component->about.name + " does not show rows",
                    "such as a metric with `across`");
        return;
      }
      // Removed metrics are not on the axes.
      if (figure.needs.stars && !metric.reason.empty()) continue;
      figure.named.row_free.push_back(std::move(metric));
    }
  }

  CheckedRecipe& recipe_;
  const Names& names_;
  Errors& errors_;
};

}  // namespace

std::vector<CheckedFigure> read_figures(const CheckContext& context, const Names& names,
                                        InputParser& inputs) {
  std::vector<CheckedFigure> all;
  for (const Node::Entry& figure : context.recipe.options.figures.entries()) {
    if (auto read = read_figure(figure, context, names, inputs)) all.push_back(std::move(*read));
  }
  return all;
}

void check_figures(CheckedRecipe& recipe, const Names& names, Errors& errors) {
  FigureReader reader(recipe, names, errors);
  for (CheckedFigure& figure : recipe.figures) reader.read(figure);
}

}  // namespace lvtext
