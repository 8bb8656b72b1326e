// From records to the splits of an experiment.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/data/records.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// The order in which the pool is cut into splits.
enum class SplitOrder { kContent, kDocument };

inline const std::vector<EnumName<SplitOrder>>& enum_names(SplitOrder) {
  static const std::vector<EnumName<SplitOrder>> names = {
      {"content", SplitOrder::kContent, "by a hash of each line: random, but stable"},
      {"document", SplitOrder::kDocument, "as the lines follow one another"},
  };
  return names;
}

/// How records become splits.
struct SplitRules {
  int64_t max_words = 0;      ///< records with a longer text leave every split; 0: no limit
  int64_t test_at_least = 0;  ///< fewer test records are topped up from the pool
  double test_share = 0;      ///< the same as a share of the pool as read; the larger one counts
  double valid_share = 0.05;  ///< of the pool
  int64_t valid_at_most = 5000;
  std::map<std::string, double> shares;  ///< further splits by name: shares of what is left
  /// Further splits by name: the pool's text in this field, then the training text.
  std::map<std::string, std::string> from_field;
  std::string group;                ///< records that share this field go to one split
  int64_t train_at_most = 0;        ///< 0: all
  int64_t seed = 0;                 ///< another seed, another order
  bool dedupe = true;               ///< a record of the pool is used once
  bool remove_test_overlap = true;  ///< the pool loses what the test has
  bool clean =
      true;  ///< runs of blanks become one, empty texts leave; false: texts stay as they are
  SplitOrder order = SplitOrder::kContent;

  template <class V>
  void visit(V& v) {
    v.field("max_words", max_words, "records with a longer text leave every split; 0: no limit",
            at_least(0));
    v.field("test_at_least", test_at_least, "fewer test records are topped up from the pool",
            at_least(0));
    v.field("test_share", test_share, "the same as a share of the pool; the larger one counts",
            in_range(0, 0.9));
    v.field("valid_share", valid_share, "share of the pool held out for validation",
            in_range(0, 0.9));
    v.field("valid_at_most", valid_at_most, "validation records held out at most", at_least(0));
    v.field("shares", shares, "further splits by name: shares of what is left then",
            in_range(0, 0.9));
    v.field("from_field", from_field,
            "further splits by name: the pool's text in this field, then the training text");
    v.field("group", group, "records that share this field go to one split");
    v.field("train_at_most", train_at_most, "training records used; 0: all", at_least(0));
    v.field("seed", seed, "another seed, another order", at_least(0));
    v.field("dedupe", dedupe, "a record of the pool is used once");
    v.field("remove_test_overlap", remove_test_overlap, "the pool loses what the test has");
    v.field("clean", clean, "runs of blanks become one blank and empty texts leave");
    v.field("order", order, "in which order the pool is split");
  }
};

/// What was counted on the way; for the report.
struct SplitCounts {
  int64_t lines = 0;  ///< records of the pool, as read
  int64_t empty = 0;  ///< dropped everywhere, as are the next
  int64_t too_long = 0;
  int64_t unlabeled = 0;      ///< with a label that the set does not name
  int64_t duplicates = 0;     ///< of a record of the pool; dropped where the rules say so
  int64_t overlaps = 0;       ///< other records of the pool that test or valid holds; likewise
  int64_t pool = 0;           ///< records left in the pool
  int64_t test_given = 0;     ///< test records from the test file
  int64_t test_held_out = 0;  ///< test records taken from the pool
};

/// The records of an experiment by the name of their split: train, valid, test and further ones. No
/// record of train or a further split stands in valid or test, unless the rules leave overlaps of
/// the files with the test in the pool.
struct Splits {
  std::map<std::string, Records> records;
  SplitCounts counts;

  /// The first field of a split's records.
  std::vector<std::string> texts(const std::string& split) const {
    return records.at(split).texts();
  }
};

/// `line` without blanks at both ends, runs of blanks and tabs made one blank.
std::string collapse_blanks(std::string_view line);
/// Number of words between blanks.
int64_t count_words(std::string_view text);

/// Whether a text of the record has more than `max_words` words (0: no limit).
bool is_too_long(const Record& record, const Records& of, int64_t max_words);

/// Splits by the rules what was read: "pool", which must be there, "test", "valid" and texts of
/// their own for further splits (set_extra_split()). Labels are lower-cased where the rules clean.
/// The pool is cleaned, without duplicates and without records of test and valid (their group,
/// where the rules name one), in document order or ordered by content (SHA-256 of seed and record
/// or group: adding a record moves no other); then test is topped up, valid held out unless given,
/// the rest cut into shares and train. Equal records, or those of one group, stay on one side of a
/// cut. Throws ConfigError for a group that is no field, DataError if no training record is left.
Splits make_splits(std::map<std::string, Records> read, const SplitRules& rules);

/// Sets a further split to records of its own: cleaned by the rules, without those of test and
/// valid.
void set_extra_split(Splits& splits, const std::string& name, Records records,
                     const SplitRules& rules);

}  // namespace lvtext
