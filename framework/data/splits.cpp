#include "framework/data/splits.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "framework/base/error.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"

namespace lvtext {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::vector<std::string> clean(const std::vector<std::string>& lines, const SplitRules& rules,
                               SplitCounts& counts) {
  std::vector<std::string> kept;
  for (const std::string& line : lines) {
    std::string sentence = rules.clean ? collapse_blanks(line) : line;
    if (rules.clean && sentence.empty()) {
      ++counts.empty;
    } else if (rules.max_words > 0 && count_words(sentence) > rules.max_words) {
      ++counts.too_long;
    } else {
      kept.push_back(std::move(sentence));
    }
  }
  return kept;
}

void order_by_content(std::vector<std::string>& sentences, uint64_t seed) {
  std::vector<std::pair<std::string, std::string>> keyed;
  keyed.reserve(sentences.size());
  for (std::string& sentence : sentences) {
    std::string key = sha256(std::to_string(seed) + "\n" + sentence);
    keyed.emplace_back(std::move(key), std::move(sentence));
  }
  std::sort(keyed.begin(), keyed.end());
  for (size_t i = 0; i < keyed.size(); ++i) sentences[i] = std::move(keyed[i].second);
}

}  // namespace

std::string collapse_blanks(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (!is_blank(c)) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

int64_t count_words(std::string_view text) {
  int64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    words += !is_blank(c) && !inside;
    inside = !is_blank(c);
  }
  return words;
}

Splits make_splits(const std::vector<std::string>& pool_lines,
                   const std::vector<std::string>& test_lines,
                   const std::vector<std::string>& valid_lines, const SplitRules& rules) {
  Splits splits;
  SplitCounts& counts = splits.counts;
  counts.lines = static_cast<int64_t>(pool_lines.size());
  splits.test = clean(test_lines, rules, counts);
  splits.valid = clean(valid_lines, rules, counts);
  counts.test_given = static_cast<int64_t>(splits.test.size());

  const std::unordered_set<std::string> test(splits.test.begin(), splits.test.end());
  const std::unordered_set<std::string> valid(splits.valid.begin(), splits.valid.end());
  std::unordered_set<std::string> seen;
  std::vector<std::string> pool;
  for (std::string& sentence : clean(pool_lines, rules, counts)) {
    const bool duplicate = !seen.insert(sentence).second;
    const bool in_test = test.contains(sentence);
    const bool in_valid = valid.contains(sentence);
    counts.duplicates += duplicate ? 1 : 0;
    counts.overlaps += !duplicate && (in_test || in_valid) ? 1 : 0;
    const bool dropped =
        (duplicate && rules.dedupe) || (in_test && rules.remove_test_overlap) || in_valid;
    if (!dropped) pool.push_back(std::move(sentence));
  }
  counts.pool = static_cast<int64_t>(pool.size());
  if (rules.order == SplitOrder::kContent) order_by_content(pool, rules.seed);

  auto at = pool.begin();
  const auto take = [&](int64_t count, std::vector<std::string>& to) {
    auto end = at + std::min<int64_t>(std::max<int64_t>(count, 0), pool.end() - at);
    while (end != at && end != pool.end() && *end == *std::prev(end)) ++end;
    std::move(at, end, std::back_inserter(to));
    at = end;
  };
  take(rules.test_at_least - counts.test_given, splits.test);
  counts.test_held_out = static_cast<int64_t>(splits.test.size()) - counts.test_given;
  if (valid_lines.empty()) {
    const auto share = static_cast<int64_t>(rules.valid_share * static_cast<double>(counts.pool));
    take(std::min(share, rules.valid_at_most), splits.valid);
  }
  const auto rest = static_cast<double>(pool.end() - at);
  take(static_cast<int64_t>(rules.reverse_share * rest), splits.reverse);
  take(pool.end() - at, splits.train);
  if (rules.train_at_most > 0 && rules.train_at_most < static_cast<int64_t>(splits.train.size())) {
    splits.train.resize(rules.train_at_most);
  }
  if (splits.train.empty()) {
    throw DataError("data: no training sentence is left of " + format_count(counts.lines) +
                    " lines (" + format_count(counts.empty) + " empty, " +
                    format_count(counts.too_long) + " too long, " +
                    format_count(counts.duplicates) + " duplicates, " +
                    format_count(counts.overlaps) + " also in test or valid, " +
                    format_count(counts.test_held_out) + " held out for the test)");
  }
  return splits;
}

void use_reverse_text(Splits& splits, const std::vector<std::string>& lines,
                      const SplitRules& rules) {
  std::unordered_set<std::string> held(splits.test.begin(), splits.test.end());
  held.insert(splits.valid.begin(), splits.valid.end());
  SplitCounts not_told;
  splits.reverse = clean(lines, rules, not_told);
  std::erase_if(splits.reverse, [&](const std::string& text) { return held.contains(text); });
}

}  // namespace lvtext
