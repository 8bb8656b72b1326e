#include "framework/pipeline/rating/rating_summary.h"

#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/statistics/bootstrap.h"
#include "framework/pipeline/rating/agreement.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "lvtext.ratings/1";
constexpr int kResamples = 10000;
constexpr size_t kRatersPerItem = 3;  // protocol of Cifka et al. 2018

/// The ratings of one item in one aspect.
std::vector<int> ratings_of(const std::map<std::string, std::vector<int>>& by_rater,
                            size_t aspect) {
  std::vector<int> ratings;
  for (const auto& [rater, values] : by_rater) ratings.push_back(values[aspect]);
  return ratings;
}

/// Share of the items with at least two ratings that have a majority.
std::optional<double> majority_share(const std::vector<std::vector<int>>& items) {
  int64_t with = 0, of = 0;
  for (const auto& ratings : items) {
    if (ratings.size() < 2) continue;
    ++of;
    with += has_majority(ratings) ? 1 : 0;
  }
  if (of == 0) return std::nullopt;
  return static_cast<double>(with) / static_cast<double>(of);
}

RowRating rate_row(const std::vector<std::vector<int>>& sentences) {
  std::vector<double> medians;
  double sum = 0, count = 0;
  for (const auto& ratings : sentences) {
    medians.push_back(median(ratings));
    for (const int rating : ratings) sum += rating;
    count += static_cast<double>(ratings.size());
  }
  RowRating row;
  row.mean_of_medians = mean(medians);
  if (medians.size() > 1) {
    row.interval = bootstrap_mean_interval(medians, {.resamples = kResamples});
  }
  row.mean_of_ratings = sum / count;
  row.majority = majority_share(sentences);
  row.sentences = static_cast<int64_t>(sentences.size());
  return row;
}

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

}  // namespace

RatingSummary summarize(const Ratings& ratings, const SheetKind& kind, const SheetKey& key) {
  RatingSummary summary{.kind = key.kind,
                        .recipe = key.recipe,
                        .profile = key.profile,
                        .rows = key.rows,
                        .items = static_cast<int64_t>(key.items.size()),
                        .rated = static_cast<int64_t>(ratings.size())};
  std::set<std::string> raters;
  for (const auto& [item, by_rater] : ratings) {
    summary.not_three += by_rater.size() == kRatersPerItem ? 0 : 1;
    summary.ratings += static_cast<int64_t>(by_rater.size());
    for (const auto& each : by_rater) raters.insert(each.first);
  }
  summary.raters = static_cast<int64_t>(raters.size());
  for (size_t aspect = 0; aspect < kind.aspects.size(); ++aspect) {
    const std::string& id = kind.aspects[aspect].id;
    std::vector<std::vector<int>> items;
    std::map<size_t, std::vector<std::vector<int>>> by_row;
    for (const auto& [item, by_rater] : ratings) {
      items.push_back(ratings_of(by_rater, aspect));
      for (const auto& [row, index] : key.items.at(item)) by_row[row].push_back(items.back());
    }
    summary.agreement[id] = {majority_share(items), krippendorff_alpha(items)};
    for (const auto& [row, sentences] : by_row) {
      summary.scores[key.rows[row].id][id] = rate_row(sentences);
    }
  }
  return summary;
}

Json to_json(const RatingSummary& summary) {
  Json agreement = Json::object();
  for (const auto& [aspect, each] : summary.agreement) {
    agreement[aspect] = {{"majority_share", number(each.majority)},
                         {"krippendorff_alpha", number(each.alpha)}};
  }
  Json rows = Json::array();
  for (const RatedRow& row : summary.rows) {
    Json scores = Json::object();
    if (const auto found = summary.scores.find(row.id); found != summary.scores.end()) {
      for (const auto& [aspect, score] : found->second) {
        const auto& interval = score.interval;
        scores[aspect] = {{"mean_of_medians", score.mean_of_medians},
                          {"lo", interval ? Json(interval->lo) : Json(nullptr)},
                          {"hi", interval ? Json(interval->hi) : Json(nullptr)},
                          {"mean_of_ratings", score.mean_of_ratings},
                          {"majority_share", number(score.majority)},
                          {"sentences", score.sentences}};
      }
    }
    rows.push_back(to_json(row));
    rows.back()["scores"] = scores;
  }
  return {{"schema", kSchema},
          {"kind", summary.kind},
          {"recipe", summary.recipe},
          {"profile", summary.profile},
          {"items", summary.items},
          {"rated", summary.rated},
          {"not_three_ratings", summary.not_three},
          {"raters", summary.raters},
          {"ratings", summary.ratings},
          {"agreement", agreement},
          {"rows", rows}};
}

RatingSummary read_rating_summary(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  RatingSummary summary;
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != kSchema) {
      throw DataError("'" + file.string() + "' has the schema " + json.at("schema").dump() +
                      "; expected " + kSchema);
    }
    summary = {.kind = json.at("kind"),
               .recipe = json.at("recipe"),
               .profile = json.at("profile"),
               .items = json.at("items"),
               .rated = json.at("rated"),
               .not_three = json.at("not_three_ratings"),
               .raters = json.at("raters"),
               .ratings = json.at("ratings")};
    for (const auto& [aspect, each] : json.at("agreement").items()) {
      summary.agreement[aspect] = {number(each.at("majority_share")),
                                   number(each.at("krippendorff_alpha"))};
    }
    for (const Json& row : json.at("rows")) {
      summary.rows.push_back(rated_row_of(row));
      for (const auto& [aspect, score] : row.at("scores").items()) {
        RowRating& rating = summary.scores[row.at("id")][aspect];
        rating.mean_of_medians = score.at("mean_of_medians");
        if (const auto lo = number(score.at("lo"))) {
          rating.interval = Interval{*lo, score.at("hi").get<double>()};
        }
        rating.mean_of_ratings = score.at("mean_of_ratings");
        rating.majority = number(score.at("majority_share"));
        rating.sentences = score.at("sentences");
      }
    }
  } catch (const nlohmann::json::exception& error) {
    throw DataError(
        "'" + file.string() +
        "' is not a summary of ratings as written by `lvtext rate import`: " + error.what());
  }
  return summary;
}

}  // namespace lvtext
