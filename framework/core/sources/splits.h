// Division of records into the splits of an experiment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/datasets/records.h"
#include "framework/core/options/options.h"
#include "framework/core/text/word_tokens.h"

namespace lvtext {

/// The order in which the pool is cut into splits.
enum class SplitOrder { kContent, kDocument };

inline const std::vector<EnumName<SplitOrder>>& enum_names(SplitOrder) {
  static const std::vector<EnumName<SplitOrder>> names = {
      {"content", SplitOrder::kContent,
       "by a hash of each record: random, independent of the other records"},
      {"document", SplitOrder::kDocument, "order of the files"},
  };
  return names;
}

/// Rules that assign records to splits. The help texts below describe the fields. The optional
/// rules are not part of identities if they are unset.
struct SplitRules {
  int64_t max_words = 0;
  int64_t test_at_least = 0;
  double test_share = 0;  ///< share of the pool as read, before cleaning and filtering
  double valid_share = 0.05;
  int64_t valid_at_most = 5000;
  std::map<std::string, double> shares;
  std::map<std::string, std::string> from_field;
  std::string group;
  int64_t train_at_most = 0;
  int64_t seed = 0;
  bool dedupe = true;
  bool remove_test_overlap = true;
  bool clean = true;  ///< false: white space and letter case stay as they are
  SplitOrder order = SplitOrder::kContent;
  std::optional<bool> remove_valid_overlap;
  std::optional<bool> lowercase;
  std::optional<WordTokens> tokenize;
  std::optional<std::string> number;
  std::optional<std::string> digit;
  std::optional<std::vector<std::string>> without;
  std::optional<std::string> by_field;
  std::optional<int64_t> min_word_count;

  template <class V>
  void visit(V& v) {
    v.field("max_words", max_words,
            "maximum number of words of a text; records with a longer text are removed from every "
            "split; 0: no limit",
            at_least(0));
    v.field("test_at_least", test_at_least,
            "minimum number of test records; missing ones are taken from the pool", at_least(0));
    v.field("test_share", test_share,
            "minimum number of test records as a share of the pool; the larger minimum applies",
            in_range(0, 0.9));
    v.field("valid_share", valid_share, "share of the pool held out for validation",
            in_range(0, 0.9));
    v.field("valid_at_most", valid_at_most, "maximum number of records held out for validation",
            at_least(0));
    v.field("shares", shares,
            "further splits by name, as shares of the records left after validation and test",
            in_range(0, 0.9));
    v.field("from_field", from_field,
            "further splits by name: the pool's texts of this field, followed by the training "
            "texts");
    v.field("group", group,
            "field by which records are grouped; a group is never divided between splits");
    v.field("train_at_most", train_at_most, "maximum number of training records; 0: no limit",
            at_least(0));
    v.field("seed", seed, "random seed of the splits", at_least(0));
    v.field("dedupe", dedupe, "removes duplicate records from the pool");
    v.field("remove_test_overlap", remove_test_overlap,
            "removes the records of the test set from the pool");
    v.field("clean", clean,
            "replaces each run of white space by one blank and removes empty texts");
    v.field("order", order, "order in which the pool is split");
    v.field("remove_valid_overlap", remove_valid_overlap,
            "removes the records of the validation set from the pool (unset: true)");
    v.field("lowercase", lowercase, "converts the letters A to Z of texts to lower case");
    v.field("tokenize", tokenize,
            "rules that divide texts into words, which are then separated by one blank (unset: "
            "texts are not divided)");
    v.field("number", number,
            "word that replaces each number between blanks, such as 7 or 4.50 (unset: numbers are "
            "kept)");
    v.field("digit", digit,
            "text that replaces each of the digits 0 to 9, after `number` (unset: digits are "
            "kept)");
    v.field("without", without,
            "words between white space; records with one of them in a text are removed from every "
            "split (unset: none)");
    v.field("by_field", by_field,
            "field that contains the split of each record of the pool, train, valid or test; not a "
            "field of the records unless it is requested (unset: splits are cut from the pool)");
    v.field("min_word_count", min_word_count,
            "removes, from every split, records with a word between white space that occurs less "
            "often in the pool, after cleaning and the removal of duplicates (unset: none)",
            at_least(2));
  }
};

/// Record counts for the report.
struct SplitCounts {
  int64_t lines = 0;          ///< records of the pool as read
  int64_t empty = 0;          ///< without text; removed from every split
  int64_t too_long = 0;       ///< removed from every split
  int64_t excluded = 0;       ///< with a word of `without`; removed from every split
  int64_t rare = 0;           ///< by `min_word_count`; removed from every split
  int64_t unlabeled = 0;      ///< unknown label; removed from every split
  int64_t duplicates = 0;     ///< repeated records of the pool; removed if `dedupe` is set
  int64_t overlaps = 0;       ///< other pool records in test or valid; removed per the rules
  int64_t pool = 0;           ///< records left in the pool
  int64_t test_given = 0;     ///< test records from the test file
  int64_t test_held_out = 0;  ///< test records taken from the pool
};

/// The records of an experiment by split: train, valid, test and further ones; without a pool only
/// the splits that have their own records. Neither train nor a further split contains a record of
/// valid or test, unless `remove_test_overlap` or `remove_valid_overlap` is false and the pool has
/// records of the test or validation file.
struct Splits {
  std::map<std::string, Records> records;
  SplitCounts counts;

  /// The texts of the first text field of a split.
  std::vector<std::string> texts(const std::string& split) const {
    return records.at(split).texts();
  }
};

/// Whether a text of the record has more than `max_words` words between white space (0: no limit).
bool is_too_long(const Record& record, const Records& of, int64_t max_words);

/// Splits the records of `read`: "pool", "test", "valid", and further splits that have their own
/// records (set_extra_split()). Records with a word of `without` are removed; then texts are
/// converted to lower case, divided into words and their numbers and digits replaced if the rules
/// specify it. If `clean` is set, labels are converted to lower case.
/// 1. The pool is cleaned; duplicates and records of test and valid (or of their groups, if `group`
///    is set) are removed.
///    With `min_word_count`, records with a rare word are removed from all splits.
/// 2. The pool is left in document order or sorted by content (SHA-256 of seed and record or group,
///    so that adding a record does not reorder the others).
/// 3. Test is filled up from the pool, valid is held out unless given, and the rest is divided into
///    `shares` and train. Adjacent equal records, or adjacent records of one group, are not
///    separated.
/// With `by_field`, nothing is held out: the records of the pool are those of train and `shares`.
/// Throws ConfigError if `group` is not a field, DataError if no training record of the pool is
/// left.
Splits make_splits(std::map<std::string, Records> read, const SplitRules& rules);

/// Adds a further split with its own records, cleaned by the rules and, as they specify, without
/// the records of test and valid.
void set_extra_split(Splits& splits, const std::string& name, Records records,
                     const SplitRules& rules);

}  // namespace lvtext
