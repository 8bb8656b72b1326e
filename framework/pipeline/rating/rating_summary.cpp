#include "framework/pipeline/rating/rating_summary.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/pipeline/rating/agreement.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "lvtext.ratings/1";

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

/// The answers to an item for one of its sentences: answers about compared texts, which refer to
/// the order shown, are converted to the order of the group.
std::vector<int> in_group_order(std::vector<int> answers, const Aspect& aspect,
                                const ItemSource& source) {
  if (!aspect.of_texts) return answers;
  for (int& answer : answers) {
    const auto shown = static_cast<size_t>(answer - aspect.lowest);
    if (shown < source.order.size()) {
      answer = aspect.lowest + static_cast<int>(source.order[shown]);
    }
  }
  return answers;
}

GroupRating rate_group(const std::vector<std::vector<int>>& sentences, const Aspect& aspect) {
  GroupRating group;
  for (const RatingMeasure& measure : rating_measures(aspect)) {
    group.measures[measure.id] = measure.compute(sentences);
  }
  if (aspect.choices.empty()) {
    std::vector<double> all;
    for (const auto& answers : sentences) all.insert(all.end(), answers.begin(), answers.end());
    group.mean_of_ratings = mean(all);
  }
  group.majority = majority_share(sentences);
  group.sentences = static_cast<int64_t>(sentences.size());
  return group;
}

/// For each group, compared_value() of its rated sentences, by index.
using ComparedValues = std::map<size_t, std::map<int64_t, double>>;

RatingDifference difference_of(std::string id, std::vector<std::string> groups,
                               const std::vector<double>& differences) {
  return {.id = std::move(id),
          .groups = std::move(groups),
          .sentences = static_cast<int64_t>(differences.size()),
          .mean = mean(differences),
          .test = signed_rank_test(differences)};
}

std::vector<RatingDifference> differences_of(const ComparedValues& values, const SheetKey& key) {
  std::vector<RatingDifference> all;
  for (auto first = values.begin(); first != values.end(); ++first) {
    const RatedGroup& group = key.groups[first->first];
    std::vector<double> differences;
    if (group.rows.size() > 1) {
      for (const auto& [index, value] : first->second) differences.push_back(value);
      all.push_back(difference_of(group.id, {group.id}, differences));
      continue;
    }
    for (auto second = std::next(first); second != values.end(); ++second) {
      const RatedGroup& other = key.groups[second->first];
      differences.clear();
      for (const auto& [index, value] : first->second) {
        const auto found = second->second.find(index);
        if (found != second->second.end()) differences.push_back(value - found->second);
      }
      if (differences.empty()) continue;
      all.push_back(
          difference_of(group_id({group.id, other.id}), {group.id, other.id}, differences));
    }
  }
  return all;
}

/// The name of the most frequent answer; empty if there are several.
std::string most_frequent(const std::vector<int>& answers, const Aspect& aspect) {
  std::ptrdiff_t most = 0;
  std::string name;
  for (int answer = aspect.lowest; answer <= aspect.highest; ++answer) {
    const auto count = std::count(answers.begin(), answers.end(), answer);
    if (count == most) name.clear();
    if (count > most) name = aspect.answer_text(answer);
    most = std::max(most, count);
  }
  return name;
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
    summary.other_counts += kind.raters > 0 && by_rater.size() != kind.raters ? 1 : 0;
    summary.ratings += static_cast<int64_t>(by_rater.size());
    for (const auto& each : by_rater) raters.insert(each.first);
  }
  summary.raters = static_cast<int64_t>(raters.size());
  for (size_t i = 0; i < kind.aspects.size(); ++i) {
    const Aspect& aspect = kind.aspects[i];
    std::vector<std::vector<int>> items;
    std::map<size_t, std::vector<std::vector<int>>> by_group;
    ComparedValues compared;
    for (const auto& [item, by_rater] : ratings) {
      items.push_back(ratings_of(by_rater, i));
      for (const ItemSource& source : key.items.at(item).sources) {
        const auto answers = in_group_order(items.back(), aspect, source);
        if (const auto value = compared_value(aspect, answers)) {
          compared[source.group][source.index] = *value;
        }
        by_group[source.group].push_back(answers);
      }
    }
    const Level level = aspect.choices.empty() ? Level::kOrdinal : Level::kNominal;
    summary.agreement[aspect.id] = {majority_share(items), krippendorff_alpha(items, level),
                                    fleiss_kappa(items)};
    auto differences = differences_of(compared, key);
    if (!differences.empty()) summary.differences[aspect.id] = std::move(differences);
    for (const auto& [group, sentences] : by_group) {
      summary.scores[key.groups[group].id][aspect.id] = rate_group(sentences, aspect);
    }
  }
  return summary;
}

std::string rated_records(const Ratings& ratings, const SheetKind& kind, const SheetKey& key) {
  const std::vector<std::string> columns = kind.columns();
  std::string lines;
  for (const auto& [id, by_rater] : ratings) {
    const SheetKey::Item& item = key.items.at(id);
    for (const ItemSource& source : item.sources) {
      Json record = {{"group", key.groups[source.group].id}, {"index", source.index}};
      const size_t first = columns.size() - source.order.size();
      std::vector<std::string> texts = item.texts;
      for (size_t i = 0; i < source.order.size(); ++i) {
        texts[first + source.order[i]] = item.texts[first + i];
      }
      for (size_t i = 0; i < columns.size(); ++i) record[columns[i]] = texts[i];
      for (size_t i = 0; i < kind.aspects.size(); ++i) {
        const Aspect& aspect = kind.aspects[i];
        const auto answers = in_group_order(ratings_of(by_rater, i), aspect, source);
        record[aspect.id] =
            aspect.choices.empty() ? Json(median(answers)) : Json(most_frequent(answers, aspect));
      }
      lines += record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
  }
  return lines;
}

Json to_json(const RatingSummary& summary) {
  Json agreement = Json::object();
  for (const auto& [aspect, each] : summary.agreement) {
    agreement[aspect] = {{"majority_share", number(each.majority)},
                         {"krippendorff_alpha", number(each.alpha)},
                         {"fleiss_kappa", number(each.kappa)}};
  }
  Json differences = Json::object();
  for (const auto& [aspect, pairs] : summary.differences) {
    for (const RatingDifference& each : pairs) {
      Json written = {{"id", each.id},
                      {"groups", each.groups},
                      {"sentences", each.sentences},
                      {"mean", each.mean}};
      if (each.test) {
        written["wilcoxon"] = {
            {"n", each.test->n}, {"statistic", each.test->statistic}, {"p", each.test->p}};
      }
      differences[aspect].push_back(std::move(written));
    }
  }
  Json rows = Json::array();
  for (const RatedRow& row : summary.rows) rows.push_back(to_json(row));
  Json scores = Json::object();
  for (const auto& [group, by_aspect] : summary.scores) {
    for (const auto& [aspect, score] : by_aspect) {
      Json measures = Json::object();
      for (const auto& [id, estimate] : score.measures) {
        const auto& interval = estimate.interval;
        measures[id] = {{"value", estimate.reason.empty() ? Json(estimate.value) : Json(nullptr)},
                        {"lo", interval ? Json(interval->lo) : Json(nullptr)},
                        {"hi", interval ? Json(interval->hi) : Json(nullptr)}};
        if (!estimate.reason.empty()) measures[id]["reason"] = estimate.reason;
      }
      scores[group][aspect] = {{"measures", measures},
                               {"mean_of_ratings", number(score.mean_of_ratings)},
                               {"majority_share", number(score.majority)},
                               {"sentences", score.sentences}};
    }
  }
  return {{"schema", kSchema},
          {"kind", summary.kind},
          {"recipe", summary.recipe},
          {"profile", summary.profile},
          {"items", summary.items},
          {"rated", summary.rated},
          {"other_counts", summary.other_counts},
          {"raters", summary.raters},
          {"ratings", summary.ratings},
          {"agreement", agreement},
          {"differences", differences},
          {"rows", rows},
          {"scores", scores}};
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
               .other_counts = json.at("other_counts"),
               .raters = json.at("raters"),
               .ratings = json.at("ratings")};
    for (const auto& [aspect, each] : json.at("agreement").items()) {
      summary.agreement[aspect] = {number(each.at("majority_share")),
                                   number(each.at("krippendorff_alpha")),
                                   number(each.value("fleiss_kappa", Json()))};
    }
    const Json differences = json.value("differences", Json::object());
    for (const auto& [aspect, pairs] : differences.items()) {
      for (const Json& each : pairs) {
        RatingDifference& read = summary.differences[aspect].emplace_back();
        read = {.id = each.at("id"),
                .groups = each.at("groups"),
                .sentences = each.at("sentences"),
                .mean = each.at("mean")};
        if (each.contains("wilcoxon")) {
          const Json& test = each.at("wilcoxon");
          read.test = SignedRank{test.at("n"), test.at("statistic"), test.at("p")};
        }
      }
    }
    for (const Json& row : json.at("rows")) summary.rows.push_back(rated_row_of(row));
    for (const auto& [group, by_aspect] : json.at("scores").items()) {
      for (const auto& [aspect, score] : by_aspect.items()) {
        GroupRating& rating = summary.scores[group][aspect];
        for (const auto& [id, estimate] : score.at("measures").items()) {
          RatingEstimate& read = rating.measures[id];
          read.value = number(estimate.at("value")).value_or(std::nan(""));
          read.reason = estimate.value("reason", "");
          if (const auto lo = number(estimate.at("lo"))) {
            read.interval = Interval{*lo, estimate.at("hi").get<double>()};
          }
        }
        rating.mean_of_ratings = number(score.at("mean_of_ratings"));
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
