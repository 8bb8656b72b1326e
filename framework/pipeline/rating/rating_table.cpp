#include "framework/pipeline/rating/rating_table.h"

#include <algorithm>
#include <tuple>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/rating/rating_measures.h"

namespace lvtext {
namespace {

std::vector<Aspect> in_table_order(const SheetKind& kind) {
  std::vector<Aspect> aspects = kind.aspects;
  std::stable_partition(aspects.begin(), aspects.end(),
                        [&](const Aspect& aspect) { return aspect.id == kind.sorted_by; });
  return aspects;
}

void add_columns(const SheetKind& kind, const std::optional<RatingSummary>& summary, Table& table) {
  for (const Aspect& aspect : in_table_order(kind)) {
    const bool is_number = aspect.choices.empty();
    const auto add = [&](const std::string& id, const std::string& title, const std::string& note,
                         int decimals, Direction direction = Direction::kNone) {
      table.columns.push_back(
          {.id = id, .title = title, .direction = direction, .note = note, .decimals = decimals});
    };
    for (const RatingMeasure& measure : rating_measures(aspect)) {
      add(measure.id, measure.title, measure.note, measure.decimals, measure.direction);
    }
    if (!summary) continue;
    if (is_number) add(aspect.id + "_mean", "mean of ratings", "over all ratings", 2);
    add(aspect.id + "_majority", "majority", "share of sentences on which most raters agree", 2);
    add(aspect.id + "_sentences", "sentences", "number of rated sentences", 0);
  }
}

void fill(const GroupRating& rating, const std::string& row, const std::string& aspect,
          Table& table) {
  const auto set = [&](const std::string& column, std::optional<double> value) -> Cell& {
    Cell& cell = table.cell(row, column);
    cell.value = value;
    cell.n_seeds = 1;
    return cell;
  };
  for (const auto& [id, estimate] : rating.measures) {
    const bool is_defined = estimate.reason.empty();
    Cell& cell = set(id, is_defined ? std::optional(estimate.value) : std::nullopt);
    cell.reason = estimate.reason;
    if (!estimate.interval) continue;
    cell.lo = estimate.interval->lo;
    cell.hi = estimate.interval->hi;
  }
  if (rating.mean_of_ratings) set(aspect + "_mean", rating.mean_of_ratings);
  set(aspect + "_majority", rating.majority);
  set(aspect + "_sentences", static_cast<double>(rating.sentences));
}

template <class Value>
std::optional<Value> at(const std::map<std::string, std::map<std::string, Value>>& values,
                        const std::string& row, const std::string& key) {
  const auto by_row = values.find(row);
  if (by_row == values.end()) return std::nullopt;
  const auto found = by_row->second.find(key);
  return found == by_row->second.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Table rating_table(const SheetKind& kind, const std::optional<RatingSummary>& summary,
                   std::vector<RatingRow> rows, const PaperRatings& paper) {
  const auto rated = [&](const RatingRow& row, const std::string& aspect) {
    return summary && row.reason.empty() ? at(summary->scores, row.id, aspect) : std::nullopt;
  };
  const auto order = [&](const RatingRow& row) {
    const std::string& first = kind.sorted_by;
    if (first.empty()) return std::tuple(!row.is_real, false, 0.0);
    const auto ours = rated(row, first);
    const auto theirs = at(paper, row.id, first);
    return std::tuple(!row.is_real, !ours,
                      ours ? -ours->measures.at(first).value : -theirs.value_or(0));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
  Table table;
  add_columns(kind, summary, table);
  for (const RatingRow& row : rows) table.rows.push_back({row.id, row.label, row.reason});
  table.resize();
  for (const RatingRow& row : rows) {
    for (const Aspect& aspect : kind.aspects) {
      const auto score = rated(row, aspect.id);
      if (score) fill(*score, row.id, aspect.id, table);
      for (const RatingMeasure& measure : rating_measures(aspect)) {
        Cell& cell = table.cell(row.id, measure.id);
        cell.paper = at(paper, row.id, measure.id);
        if (summary && !score && row.reason.empty()) cell.reason = "not rated";
      }
    }
  }
  return table;
}

Table difference_table(const SheetKind& kind, const RatingSummary& summary,
                       const std::vector<RatingRow>& rows) {
  const auto label_of = [&](const RatingDifference& each) {
    std::vector<std::string> labels;
    for (const std::string& group : each.groups) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const RatingRow& known) {
        return known.id == group && known.reason.empty();
      });
      if (row != rows.end()) labels.push_back(row->label);
    }
    return labels.size() == each.groups.size() ? join(labels, " vs ") : "";
  };
  Table table;
  for (const Aspect& aspect : in_table_order(kind)) {
    const auto pairs = summary.differences.find(aspect.id);
    if (pairs == summary.differences.end()) continue;
    const std::string of = aspect.of_texts ? ", percentage points" : "";
    table.columns.push_back(
        {.id = aspect.id, .title = aspect.id + ": difference", .note = "mean over sentences" + of});
    table.columns.push_back({.id = aspect.id + "_p",
                             .title = "p",
                             .note = "Wilcoxon's signed-rank test, two-sided",
                             .decimals = 4});
    table.columns.push_back(
        {.id = aspect.id + "_sentences", .title = "sentences", .note = "", .decimals = 0});
    for (const RatingDifference& each : pairs->second) {
      const auto is_same = [&](const Row& row) { return row.id == each.id; };
      const std::string label = label_of(each);
      if (!label.empty() && std::none_of(table.rows.begin(), table.rows.end(), is_same)) {
        table.rows.push_back({each.id, label, ""});
      }
    }
  }
  table.resize();
  for (const auto& [aspect, pairs] : summary.differences) {
    for (const RatingDifference& each : pairs) {
      if (label_of(each).empty()) continue;
      const auto set = [&, &aspect = aspect](const std::string& column, double value) {
        Cell& cell = table.cell(each.id, aspect + column);
        cell.value = value;
        cell.n_seeds = 1;
      };
      set("", each.mean);
      set("_sentences", static_cast<double>(each.sentences));
      if (each.test) {
        set("_p", each.test->p);
      } else {
        table.cell(each.id, aspect + "_p").reason = "all differences are 0";
      }
    }
  }
  return table;
}

std::string rating_note(const SheetKind& kind, const RatingSummary& summary) {
  std::string note = format_count(summary.rated) + " of " + format_count(summary.items, "item") +
                     " rated by " + format_count(summary.raters, "rater");
  if (summary.other_counts > 0) {
    note += ", " + format_count(summary.other_counts) + " of them not by exactly " +
            std::to_string(kind.raters);
  }
  for (const auto& [aspect, agreement] : summary.agreement) {
    if (!agreement.majority) continue;
    note += "; " + aspect + ": a majority agrees on " + fixed(100 * *agreement.majority, 1) +
            " % of the items";
    if (agreement.alpha) note += ", Krippendorff's alpha " + fixed(*agreement.alpha, 2);
    if (agreement.kappa) note += ", Fleiss' kappa " + fixed(*agreement.kappa, 2);
  }
  const auto is_number = [](const Aspect& aspect) { return aspect.choices.empty(); };
  const bool any = std::any_of(kind.aspects.begin(), kind.aspects.end(), is_number);
  if (any) note += ". Scores: median of the ratings of an item, mean over sentences";
  const bool has_percentages =
      std::any_of(kind.aspects.begin(), kind.aspects.end(),
                  [](const Aspect& aspect) { return !aspect.choices.empty() && !aspect.opposed; });
  const bool is_opposed = std::any_of(kind.aspects.begin(), kind.aspects.end(),
                                      [](const Aspect& aspect) { return aspect.opposed; });
  if (has_percentages) {
    note += ". Percentages: share of the answers to an item, mean over sentences";
  }
  if (is_opposed) note += ". Counts, ratios and Wilson's intervals: of all single answers";
  if (kind.compared > 1) note += "; a is the first of the compared rows";
  return note + ".";
}

}  // namespace lvtext
