#include "framework/pipeline/check/checked_selects.h"

#include <optional>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/check/checked_metrics.h"
#include "framework/pipeline/check/checked_rows.h"
#include "framework/pipeline/check/find_entry.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/figures/figure_kind.h"

namespace lvtext {
namespace {

/// Reads selects one by one.
class SelectReader {
 public:
  SelectReader(const CheckContext& context, const Names& names, const std::vector<CheckedRow>& rows,
               const std::vector<CheckedMetric>& metrics)
      : context_(context), names_(names), rows_(rows), metrics_(metrics) {}

  std::optional<CheckedSelect> read_select(const Node::Entry& entry) {
    const std::string path = "select." + entry.key;
    const size_t before = context_.errors.count();
    const Node* among = entry.value.find("among");
    const auto options = parse_options<SelectionOptions>(
        entry.value.without("among").without("label"), context_.errors, {}, path);
    if (!among) {
      context_.errors.add(
          entry.key_location, path + ".among is missing: the candidates",
          "rows such as \"ae[*]\", or `checkpoints` for the kept checkpoints of each row");
    }
    if (context_.errors.count() != before) return std::nullopt;
    CheckedSelect read{entry.key, options.rule(), {}, {}, {}};
    const CheckedMetric* known = read_metric(entry, options, read);
    if (!known) return std::nullopt;
    if (names_.chooses_checkpoints(entry.key)) {
      read.among_checkpoints = true;
      return read;
    }
    for (const Node& each : listed(*among)) {
      const auto found = names_.rows(each, path + ".among");
      for (const auto& row : found ? found->ids : std::vector<std::string>()) {
        const bool is_pattern = found->reference.is_pattern();
        read.among.push_back({is_pattern ? matched(found->reference, row) : row, row});
        if (known->rows.empty() || contains(known->rows, row)) continue;
        context_.errors.add(each.location(),
                            path + ".among: " + known->id + " is not computed for " + row,
                            "its `rows` exclude it");
      }
    }
    return read;
  }

 private:
  /// Sets the metric and the score by which candidates are compared; null after an error.
  const CheckedMetric* read_metric(const Node::Entry& entry, const SelectionOptions& options,
                                   CheckedSelect& read) {
    const std::string path = "select." + entry.key;
    const Node* metric = entry.value.find(options.max ? "max" : options.min ? "min" : "of");
    const auto found = names_.one_metric(*metric, path);
    if (!found) return nullptr;
    const CheckedMetric* known = find_entry(metrics_, found->ids.front());
    if (!known) return nullptr;  // reported when it was read
    read.metric = known->id;
    read.score = found->reference.part;
    const Component& evaluator = *known->evaluator.component;
    if (evaluator.scores_of == ScoresOf::kRow && !uses_row(*known, rows_)) {
      context_.errors.add(metric->location(), path + ": " + known->id +
                                                  " uses no row, so that all have the same score");
      return nullptr;
    }
    return known;
  }

  CheckContext context_;
  const Names& names_;
  const std::vector<CheckedRow>& rows_;
  const std::vector<CheckedMetric>& metrics_;
};

}  // namespace

std::vector<CheckedSelect> read_selects(const CheckContext& context, const Names& names,
                                        const std::vector<CheckedRow>& rows,
                                        const std::vector<CheckedMetric>& metrics) {
  SelectReader reader(context, names, rows, metrics);
  std::vector<CheckedSelect> all;
  for (const Node::Entry& select : context.recipe.options.select.entries()) {
    if (auto read = reader.read_select(select)) all.push_back(std::move(*read));
  }
  return all;
}

void check_choose(const std::string& select, const Node& written, const std::string& path,
                  const std::vector<CheckedSelect>& selects, Errors& errors) {
  if (select.empty()) return;
  std::vector<std::string> known;
  for (const CheckedSelect& each : selects) {
    if (each.among_checkpoints) known.push_back(each.id);
  }
  if (contains(known, select)) return;
  const bool among_rows = find_entry(selects, select) != nullptr;
  errors.add(written.find("choose")->location(),
             path + ".choose: " + shown(select) +
                 (among_rows ? " chooses among rows, not among kept checkpoints"
                             : " is not a select among kept checkpoints"),
             among_rows      ? "name it as a line of `rows`"
             : known.empty() ? "such as select: {best: {among: checkpoints, max: METRIC}}"
                             : suggestion(select, known));
}

}  // namespace lvtext
