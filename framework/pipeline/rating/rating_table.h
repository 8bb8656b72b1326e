// The table of a human evaluation, with the paper's numbers for comparison.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/rating/rating_summary.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {

/// A row of the table, rated or not: a group of the sheet.
struct RatingRow {
  std::string id, label;
  bool is_real = false;
  std::string reason = {};  ///< why its ratings are not shown; empty: they are shown, if any
};

/// Group -> measure -> value.
using PaperRatings = std::map<std::string, std::map<std::string, double>>;

/// Columns: for each aspect, starting with the kind's `sorted_by`, its rating_measures() and, if
/// there is a summary, `<aspect>_mean` (of numbers), `<aspect>_majority` and `<aspect>_sentences`.
/// Rows: real data first, then rated rows from best to worst in `sorted_by` (if it is set), then
/// rows without ratings in the order of the paper's numbers. If there is a summary, cells without
/// ratings have a reason.
Table rating_table(const SheetKind& kind, const std::optional<RatingSummary>& summary,
                   std::vector<RatingRow> rows, const PaperRatings& paper);

/// Differences between rated rows, a line for each pair: for each aspect the mean (`<aspect>`), p
/// of Wilcoxon's signed-rank test (`<aspect>_p`) and the number of sentences
/// (`<aspect>_sentences`). Without pairs of which a row's ratings are not shown; without lines if
/// no rows are compared.
Table difference_table(const SheetKind& kind, const RatingSummary& summary,
                       const std::vector<RatingRow>& rows);

/// "1,812 of 2,000 items rated by 9 raters ..., fluency: majority for 84.0 % of the items,
/// Krippendorff's alpha 0.61, Fleiss' kappa 0.45".
std::string rating_note(const SheetKind& kind, const RatingSummary& summary);

}  // namespace lvtext
