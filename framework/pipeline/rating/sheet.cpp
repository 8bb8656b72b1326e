#include "framework/pipeline/rating/sheet.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKeySchema = "lvtext.rating-key/1";

/// Starts with a letter because spreadsheets would convert "3419e812" to a number.
std::string item_id(const SheetKind& kind, int64_t seed, const std::vector<std::string>& texts) {
  std::string content = kind.name + "\n" + std::to_string(seed);
  for (const auto& text : texts) content += "\n" + std::to_string(text.size()) + " " + text;
  return "i" + sha256(content).substr(0, 12);
}

std::string escape_tsv(std::string_view text) {
  std::string out;
  for (const char c : escape_formula(text)) {
    switch (c) {
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  }
  return out;
}

std::string delimited(const Sheet& sheet, char separator,
                      const std::function<std::string(std::string_view)>& escape) {
  std::vector<std::string> columns = {"item_id"};
  columns.insert(columns.end(), sheet.kind.shown.begin(), sheet.kind.shown.end());
  for (const Aspect& aspect : sheet.kind.aspects) columns.push_back(aspect.id);
  columns.insert(columns.end(), {"rater_id", "comment"});
  const std::string between(1, separator);
  std::string out = join(columns, between) + "\n";
  for (const RatedItem& item : sheet.items) {
    std::vector<std::string> fields = {item.id};
    for (const std::string& text : item.texts) fields.push_back(escape(text));
    fields.resize(columns.size());
    out += join(fields, between) + "\n";
  }
  return out;
}

}  // namespace

std::vector<int64_t> chosen_indices(int64_t n, int64_t count, int64_t seed) {
  std::vector<std::pair<std::string, int64_t>> keyed;
  keyed.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    keyed.emplace_back(sha256(std::to_string(seed) + "\n" + std::to_string(i)), i);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < std::min(n, count); ++i) indices.push_back(keyed[i].second);
  return indices;
}

Sheet make_sheet(const SheetKind& kind, SheetKey key,
                 const std::vector<std::vector<RatedSentence>>& sentences) {
  LVT_ASSERT(sentences.size() == key.rows.size(), "one list of sentences for each row");
  std::map<std::string, std::vector<std::string>> texts;
  for (size_t row = 0; row < sentences.size(); ++row) {
    for (const RatedSentence& sentence : sentences[row]) {
      LVT_ASSERT(sentence.texts.size() == kind.shown.size(),
                 "a sentence has all texts that the kind shows");
      const std::string id = item_id(kind, key.seed, sentence.texts);
      const auto& item = texts.emplace(id, sentence.texts).first->second;
      if (item != sentence.texts) {
        throw DataError("two texts have the item id " + id + "; use another --seed");
      }
      key.items[id].emplace_back(row, sentence.index);
    }
  }
  Sheet sheet{kind, {}, std::move(key)};
  for (auto& [id, item] : texts) sheet.items.push_back({id, std::move(item)});
  return sheet;
}

std::string sheet_tsv(const Sheet& sheet) {
  return delimited(sheet, '\t', escape_tsv);
}

std::string sheet_csv(const Sheet& sheet) {
  return delimited(sheet, ',', escape_csv);
}

Json to_json(const RatedRow& row) {
  return {{"id", row.id},
          {"label", row.label},
          {"real", row.is_real},
          {"identity", row.identity},
          {"seed", row.seed ? Json(*row.seed) : Json(nullptr)}};
}

RatedRow rated_row_of(const Json& row) {
  std::optional<int64_t> seed;
  if (!row.at("seed").is_null()) seed = row.at("seed").get<int64_t>();
  return {row.at("id"), row.at("label"), row.at("real"), row.at("identity"), seed};
}

Json to_json(const SheetKey& key) {
  Json rows = Json::array();
  for (const RatedRow& row : key.rows) rows.push_back(to_json(row));
  Json items = Json::object();
  for (const auto& [id, sentences] : key.items) {
    Json& list = items[id] = Json::array();
    for (const auto& [row, index] : sentences) {
      list.push_back({{"row", key.rows[row].id}, {"index", index}});
    }
  }
  return {{"schema", kKeySchema},   {"kind", key.kind}, {"recipe", key.recipe},
          {"profile", key.profile}, {"seed", key.seed}, {"rows", rows},
          {"items", items}};
}

SheetKey read_sheet_key(const std::string& file) {
  const std::string text = read_file(file);
  SheetKey key;
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != kKeySchema) {
      throw DataError("'" + file + "' has the schema " + json.at("schema").dump() + "; expected " +
                      kKeySchema);
    }
    key.kind = json.at("kind");
    key.recipe = json.at("recipe");
    key.profile = json.at("profile");
    key.seed = json.at("seed");
    std::map<std::string, size_t> positions;
    for (const Json& row : json.at("rows")) {
      positions[row.at("id")] = key.rows.size();
      key.rows.push_back(rated_row_of(row));
    }
    for (const auto& [id, sentences] : json.at("items").items()) {
      for (const Json& each : sentences) {
        key.items[id].emplace_back(positions.at(each.at("row")), each.at("index"));
      }
    }
  } catch (const nlohmann::json::exception& error) {
    throw DataError("'" + file + "' is not a key of a rating sheet: " + json_reason(error));
  } catch (const std::out_of_range&) {
    throw DataError("'" + file + "' is not a key of a rating sheet: an item has an unknown row");
  }
  return key;
}

}  // namespace lvtext
