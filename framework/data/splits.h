// From lines of text to the splits of an experiment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/options/options.h"

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

/// How lines become splits.
struct SplitRules {
  int64_t max_words = 0;         ///< longer sentences leave every split; 0: no limit
  int64_t test_at_least = 2000;  ///< fewer test sentences are topped up from the pool
  double valid_share = 0.05;     ///< of the pool
  int64_t valid_at_most = 5000;
  double reverse_share = 0.3;       ///< of what is left, for the reverse language model only
  int64_t train_at_most = 0;        ///< 0: all
  uint64_t seed = 0;                ///< another seed, another order
  bool dedupe = true;               ///< a sentence of the pool is used once
  bool remove_test_overlap = true;  ///< the pool loses the sentences of the test
  bool clean =
      true;  ///< runs of blanks become one, empty lines leave; false: lines stay as they are
  SplitOrder order = SplitOrder::kContent;
};

/// What was counted on the way; for the report.
struct SplitCounts {
  int64_t lines = 0;  ///< lines of the pool, as read
  int64_t empty = 0;  ///< dropped everywhere, as are the next
  int64_t too_long = 0;
  int64_t duplicates = 0;     ///< of a sentence of the pool; dropped where the rules say so
  int64_t overlaps = 0;       ///< other sentences of the pool that test or valid holds; likewise
  int64_t pool = 0;           ///< sentences left in the pool
  int64_t test_given = 0;     ///< test sentences from the test file
  int64_t test_held_out = 0;  ///< test sentences taken from the pool
};

/// The sentences of an experiment. No sentence of train or reverse stands in valid or test, unless
/// the rules leave overlaps of the files with the test in the pool.
struct Splits {
  std::vector<std::string> train, valid, test, reverse;
  SplitCounts counts;
};

/// `line` without blanks at both ends, runs of blanks and tabs made one blank.
std::string collapse_blanks(std::string_view line);
/// Number of words between blanks.
int64_t count_words(std::string_view text);

/// Splits by the rules: pool cleaned, without duplicates and without sentences of `test` and
/// `valid`, in document order or ordered by content (SHA-256 of seed and sentence: adding a
/// sentence moves no other); then test topped up, valid held out unless given, the rest cut into
/// train and reverse. Equal sentences, where they are kept, stay on one side of a cut. Throws
/// DataError if no training sentence is left.
Splits make_splits(const std::vector<std::string>& pool, const std::vector<std::string>& test,
                   const std::vector<std::string>& valid, const SplitRules& rules);

/// Sets reverse to a text of its own: `lines` cleaned by the rules, without the sentences of test
/// and valid.
void use_reverse_text(Splits& splits, const std::vector<std::string>& lines,
                      const SplitRules& rules);

}  // namespace lvtext
