#include "framework/core/sources/splits.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "framework/core/base/characters.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"

namespace lvtext {
namespace {

using Keys = std::unordered_set<std::string>;

/// Byte string of a value, for comparison and hashing.
std::string bytes_of(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return join(*texts, "\t");
  if (const auto* image = std::get_if<ImageBytes>(&value)) {
    return bytes_of(std::vector<float>(image->bytes().begin(), image->bytes().end()));
  }
  const auto& numbers = std::get<std::vector<float>>(value);
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

std::string bytes_of(const Record& record) {
  std::vector<std::string> values;
  for (const FieldValue& value : record) values.push_back(bytes_of(value));
  return join(values, "\t");
}

/// A key in place of a byte string: itself, or its hash if it is long, as those of images are.
std::string compact(const std::string& bytes) {
  constexpr size_t kLong = 4096;
  return bytes.size() > kLong ? sha256(bytes) : bytes;
}

/// Key that determines the split of a record: all of its values, or its group.
class KeyOf {
 public:
  KeyOf(const std::vector<std::string>& fields, const std::string& group) {
    if (group.empty()) return;
    const auto found = std::find(fields.begin(), fields.end(), group);
    if (found == fields.end()) {
      throw ConfigError("data: the splits are grouped by '" + group +
                        "', which is not among the fields " + join(fields));
    }
    field_ = static_cast<size_t>(found - fields.begin());
  }
  std::string operator()(const Record& record) const {
    return field_ ? bytes_of(record[*field_]) : bytes_of(record);
  }

 private:
  std::optional<size_t> field_;
};

Keys keys_of(const Records& records, const KeyOf& key) {
  Keys keys;
  for (const Record& record : records.rows) keys.insert(compact(key(record)));
  return keys;
}

/// Why a record is removed.
enum class Removal { kNone, kEmpty, kTooLong, kUnlabeled, kExcluded };

/// Whether a word is a number: digits with at most one decimal point.
bool is_number(const std::string& word) {
  const auto digits = std::count_if(word.begin(), word.end(), [](char c) { return is_digit(c); });
  const auto points = std::count(word.begin(), word.end(), '.');
  return digits > 0 && points <= 1 && digits + points == std::ssize(word);
}

std::string with_digit(const std::string& text, const std::string& digit) {
  std::string replaced;
  for (const char c : text) replaced += is_digit(c) ? digit : std::string(1, c);
  return replaced;
}

/// The text in lower case, divided into words, with its numbers and digits replaced, as the rules
/// specify.
std::string normalized(std::string text, const SplitRules& rules) {
  if (rules.lowercase.value_or(false)) text = ascii_lower(std::move(text));
  if (rules.tokenize || rules.number) {
    std::vector<std::string> words =
        split_words(text, rules.tokenize.value_or(WordTokens::kWhitespace));
    if (rules.number) std::replace_if(words.begin(), words.end(), is_number, *rules.number);
    text = join(words, " ");
  }
  return rules.digit ? with_digit(text, *rules.digit) : text;
}

/// Whether the text has a word of the rule `without`.
bool is_excluded(const std::string& text, const SplitRules& rules) {
  if (!rules.without) return false;
  const std::vector<std::string_view> words = split_white_space(text);
  return std::any_of(words.begin(), words.end(), [&](const std::string_view word) {
    return std::find(rules.without->begin(), rules.without->end(), word) != rules.without->end();
  });
}

/// For fields with several texts: removes the empty ones.
Removal clean_texts(std::vector<std::string>& texts) {
  for (std::string& text : texts) text = collapse_white_space(text);
  std::erase_if(texts, is_blank);
  return texts.empty() ? Removal::kEmpty : Removal::kNone;
}

/// For a text, or for a label, which must be one of `known`.
Removal clean_text(std::string& text, const std::vector<std::string>* known,
                   const SplitRules& rules) {
  if (!known && is_excluded(text, rules)) return Removal::kExcluded;
  if (!known) text = normalized(std::move(text), rules);
  if (rules.clean) text = collapse_white_space(text);
  if (!known) return rules.clean && is_blank(text) ? Removal::kEmpty : Removal::kNone;
  if (rules.clean) text = ascii_lower(std::move(text));
  return std::find(known->begin(), known->end(), text) == known->end() ? Removal::kUnlabeled
                                                                       : Removal::kNone;
}

/// Cleans and checks the values of a record as the rules specify.
Removal clean_record(Record& record, const Records& of, const SplitRules& rules) {
  for (size_t i = 0; i < record.size(); ++i) {
    const auto labels = of.labels.find(of.fields[i]);
    Removal reason = Removal::kNone;
    if (auto* text = std::get_if<std::string>(&record[i])) {
      reason = clean_text(*text, labels == of.labels.end() ? nullptr : &labels->second, rules);
    } else if (auto* texts = std::get_if<std::vector<std::string>>(&record[i])) {
      for (std::string& each : *texts) {
        if (is_excluded(each, rules)) return Removal::kExcluded;
        each = normalized(std::move(each), rules);
      }
      if (rules.clean) reason = clean_texts(*texts);
    }
    if (reason != Removal::kNone) return reason;
  }
  return is_too_long(record, of, rules.max_words) ? Removal::kTooLong : Removal::kNone;
}

/// Calls `visit` with the words of all texts until it returns false; whether it never did.
template <class Visit>
bool all_words(const Record& record, const Records& of, const Visit& visit) {
  const auto all = [&](const std::string& text) {
    const auto words = split_white_space(text);
    return std::all_of(words.begin(), words.end(),
                       [&](const auto& word) { return visit(std::string(word)); });
  };
  for (size_t i = 0; i < record.size(); ++i) {
    if (const auto* texts = std::get_if<std::vector<std::string>>(&record[i])) {
      if (!std::all_of(texts->begin(), texts->end(), all)) return false;
    } else if (of.is_text(of.fields[i]) && !all(text_of(record[i]))) {
      return false;
    }
  }
  return true;
}

void clean(Records& records, const SplitRules& rules, SplitCounts& counts) {
  std::vector<Record> kept;
  for (Record& record : records.rows) {
    const Removal reason = clean_record(record, records, rules);
    counts.empty += reason == Removal::kEmpty;
    counts.too_long += reason == Removal::kTooLong;
    counts.excluded += reason == Removal::kExcluded;
    counts.unlabeled += reason == Removal::kUnlabeled;
    if (reason == Removal::kNone) kept.push_back(std::move(record));
  }
  records.rows = std::move(kept);
}

/// Removes duplicates and overlaps from the pool as the rules specify.
void filter_pool(std::vector<Record>& pool, const Keys& test, const Keys& valid, const KeyOf& key,
                 const SplitRules& rules, SplitCounts& counts) {
  Keys seen;
  std::vector<Record> kept;
  for (Record& record : pool) {
    const bool duplicate = !seen.insert(compact(bytes_of(record))).second;
    const std::string its_key = compact(key(record));
    const bool in_test = test.contains(its_key);
    const bool in_valid = valid.contains(its_key);
    counts.duplicates += duplicate;
    counts.overlaps += !duplicate && (in_test || in_valid);
    const bool dropped = (duplicate && rules.dedupe) || (in_test && rules.remove_test_overlap) ||
                         (in_valid && rules.remove_valid_overlap.value_or(true));
    if (!dropped) kept.push_back(std::move(record));
  }
  pool = std::move(kept);
  counts.pool = std::ssize(pool);
}

/// Removes records with a word that occurs less often in the pool than the rules allow.
class CommonWords {
 public:
  CommonWords(const Records& pool, const SplitRules& rules)
      : least_(rules.min_word_count.value_or(0)) {
    if (least_ == 0) return;
    for (const Record& record : pool.rows) {
      all_words(record, pool, [&](const std::string& word) { return ++counts_[word] > 0; });
    }
  }
  void filter(Records& records, SplitCounts& counts) const {
    if (least_ == 0) return;
    const auto is_common = [&](const std::string& word) {
      const auto found = counts_.find(word);
      return found != counts_.end() && found->second >= least_;
    };
    counts.rare += static_cast<int64_t>(std::erase_if(
        records.rows, [&](const Record& row) { return !all_words(row, records, is_common); }));
  }

 private:
  int64_t least_;
  std::unordered_map<std::string, int64_t> counts_;
};

void order_by_content(std::vector<Record>& records, const KeyOf& key, int64_t seed) {
  std::vector<std::pair<std::string, Record>> keyed;
  keyed.reserve(records.size());
  for (Record& record : records) {
    std::string hash = sha256(std::to_string(seed) + "\n" + key(record));
    keyed.emplace_back(std::move(hash), std::move(record));
  }
  std::sort(keyed.begin(), keyed.end());
  for (size_t i = 0; i < keyed.size(); ++i) records[i] = std::move(keyed[i].second);
}

/// Takes records from the pool in order.
class Cutter {
 public:
  Cutter(std::vector<Record>& pool, const KeyOf& key)
      : at_(pool.begin()), end_(pool.end()), key_(key) {}

  int64_t left() const { return end_ - at_; }
  /// Moves `count` records to `to`, and the following ones that have the key of the last one.
  void take(int64_t count, std::vector<Record>& to) {
    auto end = at_ + std::clamp<int64_t>(count, 0, left());
    while (end != at_ && end != end_ && key_(*end) == key_(*std::prev(end))) ++end;
    std::move(at_, end, std::back_inserter(to));
    at_ = end;
  }

 private:
  std::vector<Record>::iterator at_, end_;
  const KeyOf& key_;
};

int64_t share_of(double share, int64_t count) {
  return static_cast<int64_t>(share * static_cast<double>(count));
}

void check_trained(const Splits& splits) {
  if (!splits.records.at("train").rows.empty()) return;
  const SplitCounts& counts = splits.counts;
  throw DataError(
      "data: no training record is left of " + format_count(counts.lines) + " (" +
      format_count(counts.empty) + " empty, " + format_count(counts.too_long) + " too long, " +
      format_count(counts.excluded) + " with excluded words, " + format_count(counts.rare) +
      " with rare words, " + format_count(counts.unlabeled) + " without a known label, " +
      format_count(counts.duplicates, "duplicate") + ", " + format_count(counts.overlaps) +
      " also in test or valid, " + format_count(counts.test_held_out) + " held out for the test)");
}

}  // namespace

bool is_too_long(const Record& record, const Records& of, int64_t max_words) {
  if (max_words == 0) return false;
  const auto too_long = [&](const std::string& text) {
    return std::ssize(split_white_space(text)) > max_words;
  };
  for (size_t i = 0; i < record.size(); ++i) {
    if (const auto* texts = std::get_if<std::vector<std::string>>(&record[i])) {
      if (std::any_of(texts->begin(), texts->end(), too_long)) return true;
    } else if (of.is_text(of.fields[i]) && too_long(text_of(record[i]))) {
      return true;
    }
  }
  return false;
}

Splits make_splits(std::map<std::string, Records> read, const SplitRules& rules) {
  Splits splits;
  SplitCounts& counts = splits.counts;
  const bool has_pool = read.contains("pool");
  const Records& any = read.begin()->second;
  const Records none{any.fields, any.labels, {}, any.types};
  Records pool = none;
  if (has_pool) pool = std::move(read.at("pool"));
  const bool valid_given = read.contains("valid");
  for (const char* split : {"valid", "test"}) {
    Records& records = splits.records[split];
    records = none;
    if (read.contains(split)) records = std::move(read.at(split));
    clean(records, rules, counts);
  }
  Records& test = splits.records.at("test");
  Records& valid = splits.records.at("valid");
  counts.lines = std::ssize(pool.rows);
  clean(pool, rules, counts);
  const KeyOf key(pool.fields, rules.group);
  filter_pool(pool.rows, keys_of(test, key), keys_of(valid, key), key, rules, counts);
  if (!has_pool && rules.min_word_count) {
    throw DataError(
        "data: min_word_count counts words of the training records, which this set lacks");
  }
  const CommonWords common(pool, rules);
  for (Records* records : {&pool, &test, &valid}) common.filter(*records, counts);
  counts.pool = std::ssize(pool.rows);
  counts.test_given = std::ssize(test.rows);
  if (rules.order == SplitOrder::kContent) order_by_content(pool.rows, key, rules.seed);

  Cutter cutter(pool.rows, key);
  const int64_t requested =
      rules.by_field ? 0 : std::max(rules.test_at_least, share_of(rules.test_share, counts.lines));
  cutter.take(requested - counts.test_given, test.rows);
  counts.test_held_out = std::ssize(test.rows) - counts.test_given;
  if (!valid_given) {
    cutter.take(std::min(share_of(rules.valid_share, counts.pool), rules.valid_at_most),
                valid.rows);
  }
  const int64_t rest = cutter.left();
  for (const auto& [split, share] : rules.shares) {
    Records& records = splits.records.try_emplace(split, none).first->second;
    cutter.take(share_of(share, rest), records.rows);
  }
  std::vector<Record>& train = splits.records.try_emplace("train", none).first->second.rows;
  cutter.take(cutter.left(), train);
  if (rules.train_at_most > 0 && rules.train_at_most < std::ssize(train)) {
    train.resize(rules.train_at_most);
  }
  if (has_pool) check_trained(splits);
  for (auto& [role, records] : read) {
    const bool is_done = role == "pool" || role == "valid" || role == "test";
    if (is_done) continue;
    set_extra_split(splits, role, std::move(records), rules);
    common.filter(splits.records.at(role), counts);
  }
  if (!has_pool) {
    std::erase_if(splits.records, [&](const auto& split) { return !read.contains(split.first); });
  }
  return splits;
}

void set_extra_split(Splits& splits, const std::string& name, Records records,
                     const SplitRules& rules) {
  clean(records, rules, splits.counts);
  const KeyOf key(records.fields, rules.group);
  const auto keys_of_split = [&](const char* split) {
    const auto found = splits.records.find(split);
    return found == splits.records.end() ? Keys() : keys_of(found->second, key);
  };
  const Keys test = keys_of_split("test"), valid = keys_of_split("valid");
  std::erase_if(records.rows, [&](const Record& record) {
    const std::string its_key = compact(key(record));
    return (rules.remove_test_overlap && test.contains(its_key)) ||
           (rules.remove_valid_overlap.value_or(true) && valid.contains(its_key));
  });
  splits.records[name] = std::move(records);
}

}  // namespace lvtext
