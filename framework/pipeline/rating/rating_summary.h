// From single ratings to the numbers of a paper's table.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/statistics/statistics.h"
#include "framework/pipeline/rating/answers.h"

namespace lvtext {

/// How one row (a model, real data) was rated in one aspect.
struct RowRating {
  double mean_of_medians = 0;        ///< over sentences: what the table shows
  std::optional<Interval> interval;  ///< 95 %, bootstrap over sentences, 10,000 resamples
  double mean_of_ratings = 0;        ///< over all single ratings
  std::optional<double> majority;    ///< share of sentences with a majority among 2 or more ratings
  int64_t sentences = 0;             ///< of the row that were rated
};

/// How raters agree in one aspect, over items.
struct AspectAgreement {
  std::optional<double> majority;  ///< share of items with a majority among 2 or more ratings
  std::optional<double> alpha;     ///< Krippendorff's, ordinal
};

struct RatingSummary {
  std::string kind, recipe, profile;
  std::vector<RatedRow> rows;
  int64_t items = 0;      ///< of the sheet
  int64_t rated = 0;      ///< of those, with at least one rating
  int64_t not_three = 0;  ///< of those, with fewer or more than three ratings
  int64_t raters = 0;
  int64_t ratings = 0;
  std::map<std::string, std::map<std::string, RowRating>> scores;  ///< row id -> aspect -> rating
  std::map<std::string, AspectAgreement> agreement;                ///< aspect -> agreement
};

/// Per item the median of its ratings, per row the mean over its sentences; an item counts for each
/// sentence that has its texts. A row without rated sentences has no scores. `ratings` are checked
/// ones of the sheet of `key`.
RatingSummary summarize(const Ratings& ratings, const SheetKind& kind, const SheetKey& key);

/// As a JSON document ("lvtext.ratings/1"), and back. Reading throws MissingError, or DataError if
/// the file holds no such summary.
nlohmann::ordered_json to_json(const RatingSummary& summary);
RatingSummary read_rating_summary(const std::filesystem::path& file);

}  // namespace lvtext
