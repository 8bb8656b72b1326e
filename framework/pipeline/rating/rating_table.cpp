#include "framework/pipeline/rating/rating_table.h"

#include <algorithm>
#include <tuple>

#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

std::vector<Aspect> in_table_order(const SheetKind& kind) {
  std::vector<Aspect> aspects = kind.aspects;
  std::stable_partition(aspects.begin(), aspects.end(),
                        [&](const Aspect& aspect) { return aspect.id == kind.sorted_by; });
  return aspects;
}

std::string title_of(const std::string& aspect) {
  std::string title = aspect;
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

void add_columns(const SheetKind& kind, const std::optional<RatingSummary>& summary, Table& table) {
  for (const Aspect& aspect : in_table_order(kind)) {
    const Column column{.id = aspect.id,
                        .title = title_of(aspect.id),
                        .direction = Direction::kHigher,
                        .note = aspect.scale(),
                        .decimals = 2};
    table.columns.push_back(column);
    if (!summary) continue;
    table.columns.push_back(
        {aspect.id + "_mean", "mean of ratings", Direction::kNone, "over all ratings", 2});
    table.columns.push_back({aspect.id + "_majority", "majority", Direction::kNone,
                             "share of sentences on which most raters agree", 2});
    table.columns.push_back(
        {aspect.id + "_sentences", "sentences", Direction::kNone, "number of rated sentences", 0});
  }
}

void fill(const RowRating& rating, const std::string& row, const std::string& aspect,
          Table& table) {
  const auto set = [&](const std::string& column, std::optional<double> value) {
    table.cell(row, column).value = value;
    table.cell(row, column).n_seeds = 1;
  };
  set(aspect, rating.mean_of_medians);
  if (rating.interval) {
    table.cell(row, aspect).lo = rating.interval->lo;
    table.cell(row, aspect).hi = rating.interval->hi;
  }
  set(aspect + "_mean", rating.mean_of_ratings);
  set(aspect + "_majority", rating.majority);
  set(aspect + "_sentences", static_cast<double>(rating.sentences));
}

template <class Value>
std::optional<Value> at(const std::map<std::string, std::map<std::string, Value>>& values,
                        const std::string& row, const std::string& aspect) {
  const auto by_row = values.find(row);
  if (by_row == values.end()) return std::nullopt;
  const auto found = by_row->second.find(aspect);
  return found == by_row->second.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Table rating_table(const SheetKind& kind, const std::optional<RatingSummary>& summary,
                   std::vector<RatingRow> rows, const PaperRatings& paper) {
  const auto rated = [&](const RatingRow& row, const std::string& aspect) {
    return summary && row.reason.empty() ? at(summary->scores, row.id, aspect) : std::nullopt;
  };
  const auto order = [&](const RatingRow& row) {
    const auto ours = rated(row, kind.sorted_by);
    const auto theirs = at(paper, row.id, kind.sorted_by);
    return std::tuple(!row.is_real, !ours, ours ? -ours->mean_of_medians : -theirs.value_or(0));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
  Table table;
  add_columns(kind, summary, table);
  for (const RatingRow& row : rows) table.rows.push_back({row.id, row.label, row.reason});
  table.resize();
  for (const RatingRow& row : rows) {
    for (const Aspect& aspect : kind.aspects) {
      Cell& cell = table.cell(row.id, aspect.id);
      cell.paper = at(paper, row.id, aspect.id);
      if (const auto score = rated(row, aspect.id)) {
        fill(*score, row.id, aspect.id, table);
      } else if (summary && row.reason.empty()) {
        cell.reason = "not rated";
      }
    }
  }
  return table;
}

std::string rating_note(const RatingSummary& summary) {
  std::string note = format_count(summary.rated) + " of " + format_count(summary.items) +
                     " items rated by " + format_count(summary.raters) +
                     (summary.raters == 1 ? " rater" : " raters");
  if (summary.not_three > 0) {
    note += ", " + format_count(summary.not_three) + " of them not by exactly 3";
  }
  for (const auto& [aspect, agreement] : summary.agreement) {
    if (!agreement.majority) continue;
    note += "; " + aspect + ": a majority agrees on " + fixed(100 * *agreement.majority, 1) +
            " % of the items";
    if (agreement.alpha) note += ", Krippendorff's alpha " + fixed(*agreement.alpha, 2);
  }
  return note + ". Scores: median of the ratings of an item, mean over sentences.";
}

}  // namespace lvtext
