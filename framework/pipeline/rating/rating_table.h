// The table of a human evaluation: ours beside the paper's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/rating/rating_summary.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {

/// A row that a table shows, rated or not.
struct RatingRow {
  std::string id, label;
  bool is_real = false;
  std::string reason;  ///< why its ratings are not shown; empty: they are, where there are any
};

/// Row id -> aspect -> value.
using PaperRatings = std::map<std::string, std::map<std::string, double>>;

/// Columns: for each aspect, the kind's `sorted_by` first, the mean of medians (id of the aspect),
/// and, where there are ratings, `<aspect>_mean`, `<aspect>_majority` and `<aspect>_sentences`.
/// Rows: real data first, then from the best in `sorted_by` to the worst, those without a number of
/// ours by the paper's. Where there are ratings, the cells without any give the reason.
Table rating_table(const SheetKind& kind, const std::optional<RatingSummary>& summary,
                   std::vector<RatingRow> rows, const PaperRatings& paper);

/// "1,812 of 2,000 items rated by 9 raters ..., fluency: majority for 84.0 % of the items,
/// Krippendorff's alpha 0.61".
std::string rating_note(const RatingSummary& summary);

}  // namespace lvtext
