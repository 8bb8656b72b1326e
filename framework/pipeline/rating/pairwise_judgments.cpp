#include "framework/pipeline/rating/pairwise_judgments.h"

#include <array>
#include <string_view>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/json.h"
#include "framework/core/base/strings.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

/// Aspect of the kind and key of its judgment.
constexpr std::array<std::pair<const char*, const char*>, 3> kKeys = {
    {{"style", "style_better"}, {"content", "content_better"}, {"fluency", "lang_better"}}};
constexpr const char* kRater = "published";

/// Replaces NaN, which JSON does not allow, by null outside strings.
std::string without_nan(std::string_view line) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') in_string = !in_string;
    if (in_string && line[i] == '\\' && i + 1 < line.size()) {
      out += line[i++];
    } else if (!in_string && line.substr(i, 3) == "NaN") {
      out += "null";
      i += 2;
      continue;
    }
    out += line[i];
  }
  return out;
}

/// The value of a key, a text or null. Throws Json::exception.
std::string text_of(const Json& judgment, const char* key) {
  const Json& value = judgment.at(key);
  return value.is_null() ? std::string() : value.get<std::string>();
}

class JudgmentReader {
 public:
  explicit JudgmentReader(const SheetKind& kind) : kind_(kind) { judgments_.key.kind = kind.name; }

  /// `location` is the item's id. Throws Json::exception, or DataError for a judgment that is not
  /// allowed.
  void add(const Json& judgment, const std::string& location, int64_t index) {
    const std::string models[] = {judgment.at("model1"), judgment.at("model2")};
    if (models[0] == models[1]) throw DataError("model1 and model2 are equal");
    const size_t group = group_of(models[0], models[1]);
    const size_t first = judgments_.key.groups[group].rows.front();
    const bool is_swapped = judgments_.key.rows[first].id != models[0];
    ItemSource source{group, index, {0, 1}};
    if (is_swapped) source.order = {1, 0};
    judgments_.key.items[location] = {
        {text_of(judgment, "ori_sent"), text_of(judgment, "sent1"), text_of(judgment, "sent2")},
        {source}};
    std::vector<int>& answers = judgments_.ratings[location][kRater];
    for (const auto& [aspect, key] : kKeys) {
      answers.push_back(answer(kind_.aspect(aspect), judgment.at(key), key));
    }
  }

  PairwiseJudgments finish() { return std::move(judgments_); }

 private:
  size_t row_of(const std::string& model) {
    std::vector<RatedRow>& rows = judgments_.key.rows;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].id == model) return i;
    }
    rows.push_back({.id = model, .label = model, .identity = "", .seed = {}});
    return rows.size() - 1;
  }

  /// The group of two models, in either order.
  size_t group_of(const std::string& a, const std::string& b) {
    const size_t first = row_of(a), second = row_of(b);
    std::vector<RatedGroup>& groups = judgments_.key.groups;
    for (size_t i = 0; i < groups.size(); ++i) {
      const auto& rows = groups[i].rows;
      if (rows == std::vector{first, second} || rows == std::vector{second, first}) return i;
    }
    groups.push_back({group_id({a, b}), a + " vs " + b, {first, second}});
    return groups.size() - 1;
  }

  static int answer(const Aspect& aspect, const Json& judgment, const char* key) {
    const bool is_known = judgment == 1 || judgment == 2 || judgment == -1;
    if (!is_known) {
      throw DataError(std::string(key) + " is " + judgment.dump() +
                      "; allowed are 1, 2 and -1 (a tie)");
    }
    return *aspect.answer_of(judgment == 1 ? "a" : judgment == 2 ? "b" : "tie");
  }

  const SheetKind& kind_;
  PairwiseJudgments judgments_;
};

}  // namespace

PairwiseJudgments read_pairwise_judgments(std::span<const std::filesystem::path> files,
                                          const SheetKind& kind) {
  JudgmentReader reader(kind);
  for (const auto& file : files) {
    int64_t number = 0;
    for_each_line(file, [&](const std::string& line) {
      ++number;
      if (trim(line).empty()) return;
      const std::string location = "'" + file.string() + "', line " + format_count(number);
      try {
        const Json judgment = parse_json<Json>(without_nan(line));
        if (judgment.is_discarded()) throw DataError("invalid JSON");
        reader.add(judgment, location, number - 1);
      } catch (const Json::exception& error) {
        throw DataError(location + ": " + json_reason(error));
      } catch (const DataError& error) {
        throw DataError(location + ": " + error.what());
      }
    });
  }
  return reader.finish();
}

}  // namespace lvtext
