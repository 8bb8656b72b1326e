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

std::string hash_of(const SheetKind& kind, int64_t seed, const std::vector<std::string>& texts) {
  std::string content = kind.name + "\n" + std::to_string(seed);
  for (const auto& text : texts) content += "\n" + std::to_string(text.size()) + " " + text;
  return sha256(content);
}

/// Starts with a letter because spreadsheets would convert "3419e812" to a number.
std::string item_id(const SheetKind& kind, int64_t seed, const std::vector<std::string>& texts) {
  return "i" + hash_of(kind, seed, texts).substr(0, 12);
}

/// The order in which the last `kind.compared` texts are shown, which depends only on the set of
/// these texts: sorted, and reversed if the hash of the sorted texts is odd.
std::vector<size_t> shown_order(const SheetKind& kind, int64_t seed,
                                const std::vector<std::string>& texts) {
  std::vector<size_t> order(kind.compared);
  std::iota(order.begin(), order.end(), 0);
  if (kind.compared == 1) return order;
  const auto first = texts.end() - static_cast<std::ptrdiff_t>(kind.compared);
  std::stable_sort(order.begin(), order.end(), [first](size_t a, size_t b) {
    return first[static_cast<std::ptrdiff_t>(a)] < first[static_cast<std::ptrdiff_t>(b)];
  });
  std::vector<std::string> sorted = texts;
  std::sort(sorted.end() - static_cast<std::ptrdiff_t>(kind.compared), sorted.end());
  const char last = hash_of(kind, seed, sorted).back();
  const bool is_odd = (last >= 'a' ? last - 'a' + 10 : last - '0') % 2 == 1;
  if (is_odd) std::reverse(order.begin(), order.end());
  return order;
}

/// `texts` with its last order.size() elements in this order.
std::vector<std::string> in_order(const std::vector<std::string>& texts,
                                  const std::vector<size_t>& order) {
  std::vector<std::string> shown = texts;
  const size_t first = texts.size() - order.size();
  for (size_t i = 0; i < order.size(); ++i) shown[first + i] = texts[first + order[i]];
  return shown;
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
  const std::vector<std::string> texts = sheet.kind.columns();
  columns.insert(columns.end(), texts.begin(), texts.end());
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

std::string picture_name(const Picture& picture) {
  return sha256(png_of(picture)) + ".png";
}

std::string group_id(const std::vector<std::string>& rows) {
  return join(rows, "_vs_");
}

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
                 const std::vector<std::vector<RatedSentence>>& sentences,
                 const std::map<std::string, Picture>& pictures) {
  LVT_ASSERT(sentences.size() == key.groups.size(), "one list of sentences for each group");
  const std::vector<std::string> names = kind.columns();
  const size_t columns = names.size();
  for (size_t group = 0; group < sentences.size(); ++group) {
    for (const RatedSentence& sentence : sentences[group]) {
      LVT_ASSERT(sentence.texts.size() == columns, "a sentence has all texts that the kind shows");
      std::vector<size_t> order = shown_order(kind, key.seed, sentence.texts);
      const std::vector<std::string> texts = in_order(sentence.texts, order);
      const std::string id = item_id(kind, key.seed, texts);
      SheetKey::Item& item = key.items.emplace(id, SheetKey::Item{texts}).first->second;
      if (item.texts != texts) {
        throw DataError("two texts have the item id " + id + "; use another --seed");
      }
      item.sources.push_back({group, sentence.index, std::move(order)});
    }
  }
  Sheet sheet{kind, {}, std::move(key)};
  for (const auto& [id, item] : sheet.key.items) {
    sheet.items.push_back({id, item.texts});
    for (size_t i = 0; i < columns; ++i) {
      if (kind.has_pictures(names[i]))
        sheet.pictures.emplace(item.texts[i], pictures.at(item.texts[i]));
    }
  }
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
  Json groups = Json::array();
  for (const RatedGroup& group : key.groups) {
    Json ids = Json::array();
    for (const size_t row : group.rows) ids.push_back(key.rows[row].id);
    groups.push_back({{"id", group.id}, {"label", group.label}, {"rows", ids}});
  }
  Json items = Json::object();
  for (const auto& [id, item] : key.items) {
    Json sources = Json::array();
    for (const ItemSource& source : item.sources) {
      const RatedGroup& group = key.groups[source.group];
      Json shown = Json::array();
      for (const size_t position : source.order) {
        shown.push_back(key.rows[group.rows[position]].id);
      }
      sources.push_back({{"group", group.id}, {"index", source.index}, {"shown", shown}});
    }
    items[id] = {{"texts", item.texts}, {"sources", sources}};
  }
  return {{"schema", kKeySchema},   {"kind", key.kind}, {"recipe", key.recipe},
          {"profile", key.profile}, {"seed", key.seed}, {"rows", rows},
          {"groups", groups},       {"items", items}};
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
    std::map<std::string, size_t> rows, groups;
    for (const Json& row : json.at("rows")) {
      rows[row.at("id")] = key.rows.size();
      key.rows.push_back(rated_row_of(row));
    }
    for (const Json& group : json.at("groups")) {
      groups[group.at("id")] = key.groups.size();
      key.groups.push_back({group.at("id"), group.at("label"), {}});
      for (const Json& row : group.at("rows")) key.groups.back().rows.push_back(rows.at(row));
    }
    for (const auto& [id, item] : json.at("items").items()) {
      SheetKey::Item& read = key.items[id];
      read.texts = item.at("texts").get<std::vector<std::string>>();
      for (const Json& each : item.at("sources")) {
        ItemSource source{groups.at(each.at("group")), each.at("index"), {}};
        const std::vector<size_t>& of_group = key.groups[source.group].rows;
        for (const Json& row : each.at("shown")) {
          const auto found = std::find(of_group.begin(), of_group.end(), rows.at(row));
          if (found == of_group.end()) throw std::out_of_range("row");
          source.order.push_back(static_cast<size_t>(found - of_group.begin()));
        }
        if (source.order.size() != of_group.size()) throw std::out_of_range("row");
        read.sources.push_back(std::move(source));
      }
    }
  } catch (const nlohmann::json::exception& error) {
    throw DataError("'" + file + "' is not a key of a rating sheet: " + json_reason(error));
  } catch (const std::out_of_range&) {
    throw DataError("'" + file + "' is not a key of a rating sheet: an item has unknown rows");
  }
  return key;
}

}  // namespace lvtext
