#include "evaluators/rating/answers.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "evaluators/rating/delimited.h"
#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/options/errors.h"

namespace lvtext {
namespace {

constexpr size_t kShown = 20;

/// Where a rating of one rater stands: a column for each aspect.
struct Block {
  std::string rater;  ///< empty: named by the column rater_id
  std::vector<size_t> columns;
};

class AnswerReader {
 public:
  AnswerReader(const SheetKind& kind, const SheetKey& key) : kind_(kind), key_(key) {}

  void read(const std::filesystem::path& file) {
    const DelimitedTable table = read_delimited(file);
    file_ = file.string();
    const auto item = column(table, "item_id");
    const auto rater = column(table, "rater_id");
    const std::vector<Block> blocks = blocks_of(table);
    if (!item) mistake(table.header_line, "no column item_id");
    if (blocks.empty()) {
      mistake(table.header_line, "no column for each of " + join(aspect_ids()) + ", nor " +
                                     kind_.aspects.front().id + "_r1 and so on");
    } else if (blocks.front().rater.empty() && !rater) {
      mistake(table.header_line, "no column rater_id");
      return;
    }
    if (!item || blocks.empty()) return;
    for (const DelimitedRow& row : table.rows) {
      for (const Block& block : blocks) {
        read_rating(row, *item, block, block.rater.empty() ? field(row, *rater) : block.rater);
      }
    }
  }

  Ratings finish() {
    if (mistakes_.empty()) return std::move(ratings_);
    std::vector<std::string> shown(
        mistakes_.begin(),
        mistakes_.begin() + static_cast<std::ptrdiff_t>(std::min(mistakes_.size(), kShown)));
    if (mistakes_.size() > kShown) {
      shown.push_back("and " + format_count(static_cast<int64_t>(mistakes_.size() - kShown)) +
                      " more");
    }
    throw DataError(join(shown, "\n") + "\n" +
                    format_count(static_cast<int64_t>(mistakes_.size())) +
                    (mistakes_.size() == 1 ? " mistake" : " mistakes") + "; nothing was imported.");
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

  static std::optional<size_t> column(const DelimitedTable& table, const std::string& name) {
    const auto found = std::find(table.header.begin(), table.header.end(), name);
    if (found == table.header.end()) return std::nullopt;
    return static_cast<size_t>(found - table.header.begin());
  }

  static std::string field(const DelimitedRow& row, size_t column) {
    return column < row.fields.size() ? std::string(trim(row.fields[column])) : std::string();
  }

  /// The long form's one block, else one for each rater of the wide form; empty if neither is
  /// there.
  std::vector<Block> blocks_of(const DelimitedTable& table) const {
    Block one;
    for (const Aspect& aspect : kind_.aspects) {
      if (const auto at = column(table, aspect.id)) one.columns.push_back(*at);
    }
    if (one.columns.size() == kind_.aspects.size()) return {one};
    std::vector<Block> blocks;
    for (int number = 1;; ++number) {
      Block block{"r" + std::to_string(number), {}};
      for (const Aspect& aspect : kind_.aspects) {
        auto at = column(table, aspect.id + "_" + block.rater);
        if (!at && kind_.aspects.size() == 1) at = column(table, block.rater);
        if (at) block.columns.push_back(*at);
      }
      if (block.columns.size() < kind_.aspects.size()) return blocks;
      blocks.push_back(block);
    }
  }

  void read_rating(const DelimitedRow& row, size_t item_column, const Block& block,
                   const std::string& rater) {
    std::vector<std::string> given;
    for (const size_t each : block.columns) given.push_back(field(row, each));
    const auto is_empty = [](const std::string& text) { return text.empty(); };
    if (std::all_of(given.begin(), given.end(), is_empty)) return;
    const std::string item = field(row, item_column);
    const size_t before = mistakes_.size();
    if (!key_.items.contains(item)) {
      mistake(row.line, "the sheet has no item " + shown(item));
    }
    if (rater.empty()) mistake(row.line, "rater_id is empty");
    std::vector<int> values;
    for (size_t i = 0; i < given.size(); ++i)
      values.push_back(value(row, kind_.aspects[i], given[i]));
    if (mistakes_.size() > before) return;
    const std::string place = "'" + file_ + "', line " + format_count(row.line);
    const auto [first, is_new] = places_.emplace(std::pair(item, rater), place);
    if (!is_new) {
      return mistake(row.line, "the rater " + shown(rater) + " rated the item " + item +
                                   " already in " + first->second);
    }
    ratings_[item][rater] = std::move(values);
  }

  int value(const DelimitedRow& row, const Aspect& aspect, const std::string& text) {
    int number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = failed == std::errc() && end == text.data() + text.size();
    if (!whole || number < aspect.lowest || number > aspect.highest) {
      mistake(row.line, aspect.id + (text.empty() ? " is empty" : " is " + shown(text)) +
                            "; allowed are whole numbers from " + std::to_string(aspect.lowest) +
                            " to " + std::to_string(aspect.highest));
    }
    return number;
  }

  const SheetKind& kind_;
  const SheetKey& key_;
  std::string file_;
  Ratings ratings_;
  std::map<std::pair<std::string, std::string>, std::string> places_;
  std::vector<std::string> mistakes_;
};

}  // namespace

Ratings read_answers(std::span<const std::filesystem::path> files, const SheetKind& kind,
                     const SheetKey& key) {
  AnswerReader reader(kind, key);
  for (const auto& file : files) reader.read(file);
  return reader.finish();
}

}  // namespace lvtext
