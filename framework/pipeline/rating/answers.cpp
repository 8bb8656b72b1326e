#include "framework/pipeline/rating/answers.h"

#include <algorithm>
#include <optional>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/rating/delimited.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShown = 20;
constexpr const char* kSchema = "lvtext.rating-answers/1";

/// The columns with the ratings of one rater, one for each aspect.
struct Block {
  std::string rater;  ///< empty: given in the column rater_id
  std::vector<size_t> columns;
};

class AnswerReader {
 public:
  AnswerReader(const SheetKind& kind, const SheetKey& key, const Ratings& earlier, bool replace)
      : kind_(kind), key_(key), replace_(replace), ratings_(earlier) {}

  void read(const std::filesystem::path& file) {
    const DelimitedTable table = read_delimited(file);
    file_ = file.string();
    const auto item = table.column("item_id");
    const auto rater = table.column("rater_id");
    const std::vector<Block> blocks = blocks_of(table);
    if (!item) mistake(table.header_line, "no column item_id");
    if (blocks.empty()) {
      mistake(table.header_line, "no column for each of " + join(aspect_ids()) +
                                     ", and none named " + kind_.aspects.front().id + "_r1, ...");
    } else if (blocks.front().rater.empty() && !rater) {
      mistake(table.header_line, "no column rater_id");
      return;
    }
    if (!item || blocks.empty()) return;
    for (const DelimitedRow& row : table.rows) {
      for (const Block& block : blocks) {
        read_rating(row, *item, block, block.rater.empty() ? row.field(*rater) : block.rater);
      }
    }
  }

  Ratings finish() {
    if (mistakes_.empty() && locations_.empty()) {
      throw DataError("the answer files contain no rating; nothing was imported.");
    }
    if (mistakes_.empty()) return std::move(ratings_);
    std::vector<std::string> shown(
        mistakes_.begin(),
        mistakes_.begin() + static_cast<std::ptrdiff_t>(std::min(mistakes_.size(), kShown)));
    if (mistakes_.size() > kShown) {
      shown.push_back("and " + format_count(static_cast<int64_t>(mistakes_.size() - kShown)) +
                      " more");
    }
    throw DataError(join(shown, "\n") + "\n" + format_count(std::ssize(mistakes_), "mistake") +
                    "; nothing was imported.");
  }

 private:
  std::vector<std::string> aspect_ids() const {
    std::vector<std::string> ids;
    for (const Aspect& aspect : kind_.aspects) ids.push_back(aspect.id);
    return ids;
  }

  void mistake(int64_t line, const std::string& what) {
    mistakes_.push_back("'" + file_ + "', line " + format_count(line) + ": " + what);
  }

  /// One block for the long form, one per rater for the wide form; empty if the table has neither
  /// form.
  std::vector<Block> blocks_of(const DelimitedTable& table) const {
    Block one;
    for (const Aspect& aspect : kind_.aspects) {
      if (const auto at = table.column(aspect.id)) one.columns.push_back(*at);
    }
    if (one.columns.size() == kind_.aspects.size()) return {one};
    std::vector<Block> blocks;
    for (int number = 1;; ++number) {
      Block block{"r" + std::to_string(number), {}};
      for (const Aspect& aspect : kind_.aspects) {
        auto at = table.column(aspect.id + "_" + block.rater);
        if (!at && kind_.aspects.size() == 1) at = table.column(block.rater);
        if (at) block.columns.push_back(*at);
      }
      if (block.columns.size() < kind_.aspects.size()) return blocks;
      blocks.push_back(block);
    }
  }

  void read_rating(const DelimitedRow& row, size_t item_column, const Block& block,
                   const std::string& rater) {
    std::vector<std::string> given;
    for (const size_t each : block.columns) given.push_back(row.field(each));
    const auto is_empty = [](const std::string& text) { return text.empty(); };
    if (std::all_of(given.begin(), given.end(), is_empty)) return;
    const std::string item = row.field(item_column);
    const size_t before = mistakes_.size();
    if (!key_.items.contains(item)) {
      mistake(row.line, "the sheet has no item " + shown(item));
    }
    if (rater.empty()) mistake(row.line, "rater_id is empty");
    std::vector<int> values;
    for (size_t i = 0; i < given.size(); ++i)
      values.push_back(value(row, kind_.aspects[i], given[i]));
    if (mistakes_.size() > before) return;
    const std::string location = "'" + file_ + "', line " + format_count(row.line);
    const auto [first, is_new] = locations_.emplace(std::pair(item, rater), location);
    if (!is_new) {
      return mistake(row.line, "the rater " + shown(rater) + " already rated the item " + item +
                                   " in " + first->second);
    }
    std::vector<int>& kept = ratings_[item][rater];
    if (!kept.empty() && kept != values && !replace_) {
      return mistake(row.line, "the rater " + shown(rater) + " rated the item " + item +
                                   " differently in an earlier import (" + text_of(kept) +
                                   ", here " + text_of(values) +
                                   "); correct the file, use another rater_id, or replace the "
                                   "earlier rating with --replace");
    }
    kept = std::move(values);
  }

  /// "fluency 4, relevance 2".
  std::string text_of(const std::vector<int>& values) const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < values.size(); ++i) {
      parts.push_back(kind_.aspects[i].id + " " + kind_.aspects[i].answer_text(values[i]));
    }
    return join(parts);
  }

  int value(const DelimitedRow& row, const Aspect& aspect, const std::string& text) {
    const std::optional<int> answer = aspect.answer_of(text);
    if (!answer) {
      mistake(row.line, aspect.id + (text.empty() ? " is empty" : " is " + shown(text)) +
                            "; allowed are " + aspect.allowed());
    }
    return answer.value_or(aspect.lowest);
  }

  const SheetKind& kind_;
  const SheetKey& key_;
  bool replace_;
  std::string file_;
  Ratings ratings_;
  std::map<std::pair<std::string, std::string>, std::string> locations_;
  std::vector<std::string> mistakes_;
};

}  // namespace

Ratings read_answers(std::span<const std::filesystem::path> files, const SheetKind& kind,
                     const SheetKey& key, const Ratings& earlier, bool replace) {
  AnswerReader reader(kind, key, earlier, replace);
  for (const auto& file : files) reader.read(file);
  return reader.finish();
}

Json to_json(const Ratings& ratings, const SheetKind& kind) {
  Json items = Json::object();
  for (const auto& [item, raters] : ratings) {
    for (const auto& [rater, values] : raters) {
      Json& rating = items[item][rater] = Json::object();
      for (size_t i = 0; i < values.size(); ++i) {
        const Aspect& aspect = kind.aspects[i];
        rating[aspect.id] =
            aspect.choices.empty() ? Json(values[i]) : Json(aspect.answer_text(values[i]));
      }
    }
  }
  return {{"schema", kSchema}, {"kind", kind.name}, {"items", items}};
}

Ratings read_ratings(const std::filesystem::path& file, const SheetKind& kind,
                     const SheetKey& key) {
  const Json json = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  const auto refuse = [&](const std::string& what) {
    throw DataError("'" + file.string() + "': " + what +
                    "; the file contains the answers of earlier imports: restore it, or remove it "
                    "and import all answers again");
  };
  if (!json.is_object() || json.value("schema", Json()) != kSchema ||
      json.value("kind", Json()) != kind.name || !json.value("items", Json()).is_object()) {
    refuse("is damaged or has no answers to the sheet " + kind.name);
  }
  Ratings ratings;
  for (const auto& [item, raters] : json["items"].items()) {
    if (!key.items.contains(item)) refuse("the sheet has no item " + shown(item));
    for (const auto& [rater, rating] : raters.items()) {
      for (const Aspect& aspect : kind.aspects) {
        const Json value = rating.is_object() ? rating.value(aspect.id, Json()) : Json();
        const auto answer =
            aspect.answer_of(value.is_string() ? value.get<std::string>() : value.dump());
        if (!answer) {
          refuse("item " + item + ", rater " + shown(rater) + ": no valid rating of " + aspect.id);
        }
        ratings[item][rater].push_back(*answer);
      }
    }
  }
  return ratings;
}

}  // namespace lvtext
