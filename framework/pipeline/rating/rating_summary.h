// Aggregates ratings to the numbers of the paper's table.
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

/// Ratings of one row (a model or real data) in one aspect.
struct RowRating {
  double mean_of_medians = 0;        ///< over sentences; the number in the table
  std::optional<Interval> interval;  ///< 95 %, bootstrap over sentences, 10,000 resamples
  double mean_of_ratings = 0;        ///< over all single ratings
  std::optional<double> majority;    ///< share of sentences with a majority among 2 or more ratings
  int64_t sentences = 0;             ///< number of rated sentences of the row
};

/// Inter-rater agreement in one aspect, over items.
struct AspectAgreement {
  std::optional<double> majority;  ///< share of items with a majority among 2 or more ratings
  std::optional<double> alpha;     ///< Krippendorff's alpha, ordinal
};

struct RatingSummary {
  std::string kind, recipe, profile;
  std::vector<RatedRow> rows;
  int64_t items = 0;      ///< items of the sheet
  int64_t rated = 0;      ///< items with at least one rating
  int64_t not_three = 0;  ///< rated items with fewer or more than three ratings
  int64_t raters = 0;
  int64_t ratings = 0;
  std::map<std::string, std::map<std::string, RowRating>> scores;  ///< row id -> aspect -> rating
  std::map<std::string, AspectAgreement> agreement;                ///< aspect -> agreement
};

/// Computes the median rating of each item and the mean over the sentences of each row; an item
/// counts once for each sentence with its texts. A row without rated sentences has no scores.
/// `ratings` must be valid for `key`.
RatingSummary summarize(const Ratings& ratings, const SheetKind& kind, const SheetKey& key);

/// Writes and reads the summary as a JSON document ("lvtext.ratings/1"). Reading throws
/// MissingError, and DataError if the file is not a summary of ratings.
nlohmann::ordered_json to_json(const RatingSummary& summary);
RatingSummary read_rating_summary(const std::filesystem::path& file);

}  // namespace lvtext
