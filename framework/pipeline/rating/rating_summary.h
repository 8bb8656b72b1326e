// Aggregates ratings into the measures of a table.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/statistics/signed_rank.h"
#include "framework/pipeline/rating/answers.h"
#include "framework/pipeline/rating/rating_measures.h"

namespace lvtext {

/// Ratings of one group (a model, real data, or compared rows) in one aspect.
struct GroupRating {
  std::map<std::string, RatingEstimate> measures;  ///< by id, see rating_measures()
  /// Over all single ratings; none for named answers.
  std::optional<double> mean_of_ratings;
  std::optional<double> majority;  ///< share of sentences with a majority among 2 or more ratings
  int64_t sentences = 0;           ///< number of rated sentences of the group
};

/// Inter-rater agreement in one aspect, over items.
struct AspectAgreement {
  std::optional<double> majority;  ///< share of items with a majority among 2 or more ratings
  std::optional<double> alpha;     ///< Krippendorff's alpha, ordinal or, for named answers, nominal
  std::optional<double> kappa;     ///< Fleiss' kappa
};

/// Two rows compared in one aspect, by compared_value() on the sentences that both have.
struct RatingDifference {
  std::string id;  ///< group_id() of the rows
  std::vector<std::string>
      groups;  ///< the groups whose ratings are compared: two, or one of two rows
  int64_t sentences = 0;
  double mean = 0;  ///< mean of the first row's values less those of the second
  /// Wilcoxon's signed-rank test of the differences; none if all are 0.
  std::optional<SignedRank> test{};
};

struct RatingSummary {
  std::string kind, recipe, profile;
  std::vector<RatedRow> rows;
  int64_t items = 0;  ///< items of the sheet
  int64_t rated = 0;  ///< items with at least one rating
  /// Rated items whose number of ratings differs from that of the protocol, SheetKind::raters.
  int64_t other_counts = 0;
  int64_t raters = 0;
  int64_t ratings = 0;
  std::map<std::string, std::map<std::string, GroupRating>> scores;  ///< group -> aspect -> rating
  std::map<std::string, AspectAgreement> agreement;                  ///< aspect -> agreement
  /// Aspect -> every two groups that share sentences, or every group of compared rows; without
  /// aspects that compared_value() is not defined for.
  std::map<std::string, std::vector<RatingDifference>> differences;
};

/// Computes the measures of each group from its sentences; an item counts once for each
/// sentence with its texts. A group without rated sentences has no scores. `ratings` must be valid
/// for `key`.
RatingSummary summarize(const Ratings& ratings, const SheetKind& kind, const SheetKey& key);

/// The rated sentences as JSON lines, for the reader `json_lines`: for each its `group`, `index`,
/// texts (by SheetKind::columns(), compared texts in the order of the group) and answers: the
/// median, or the name of the most frequent choice, empty if there are several.
std::string rated_records(const Ratings& ratings, const SheetKind& kind, const SheetKey& key);

/// Writes and reads the summary as a JSON document ("lvtext.ratings/1"). Reading throws
/// MissingError, and DataError if the file is not a summary of ratings.
nlohmann::ordered_json to_json(const RatingSummary& summary);
RatingSummary read_rating_summary(const std::filesystem::path& file);

}  // namespace lvtext
