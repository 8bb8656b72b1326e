// The data of a recipe: a set by name, or the user's own text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/data/fetch.h"
#include "framework/data/splits.h"
#include "framework/options/options.h"

namespace lvtext {

/// The options below `data`. With `train` the user's own files are read and `set` is not used.
struct DataOptions {
  std::string set = "embedded";
  std::string train, valid, test;
  std::string reverse;
  std::string field;
  int64_t max_words = 0;
  int64_t train_at_most = 0;
  double valid_share = 0.05;
  double test_share = 0.05;
  double reverse_share = 0.3;
  std::optional<bool> dedupe;
  std::optional<bool> remove_test_overlap;
  std::optional<bool> clean;
  std::optional<SplitOrder> order;
  int64_t seed = 0;
  IfMissing if_missing = IfMissing::kFail;

  template <class V>
  void visit(V& v) {
    v.field("set", set, "name of a data set (`lvtext data list`)");
    v.field("train", train, "a text of your own, one sentence per line, plain or .gz");
    v.field("valid", valid, "validation text; without it sentences of train are held out");
    v.field("test", test, "test text; without it sentences of train are held out");
    v.field("reverse", reverse,
            "text of its own for the reverse language model; without it the set's rules give one");
    v.field("field", field, "which text of the set; empty: its first");
    v.field("max_words", max_words, "longer sentences leave every split; 0: no limit", at_least(0));
    v.field("train_at_most", train_at_most, "training sentences used; 0: all", at_least(0));
    v.field("valid_share", valid_share, "own text: share held out for validation",
            in_range(0, 0.5));
    v.field("test_share", test_share, "own text: share held out for the test", in_range(0, 0.5));
    v.field("reverse_share", reverse_share,
            "own text: share of the rest that trains the reverse language model only",
            in_range(0, 0.9));
    v.field("dedupe", dedupe, "a sentence of the pool is used once (unset: as the set says)");
    v.field("remove_test_overlap", remove_test_overlap,
            "the pool loses the sentences of the test set (unset: as the set says)");
    v.field("clean", clean,
            "runs of blanks become one blank and empty lines leave; false for running text (unset: "
            "as the set says)");
    v.field("order", order, "in which order sentences are split (unset: as the set says)");
    v.field("seed", seed, "another seed, other splits", at_least(0));
    v.field("if_missing", if_missing, "where the set's files cannot be had");
    v.check(!train.empty() || (valid.empty() && test.empty()),
            "data.valid and data.test belong to a text of your own: give data.train too");
  }
};

/// The sentences of a recipe. Files are verified, lines checked (invalid text fails with its line).
/// Throws ConfigError, MissingError or DataError.
Splits load_splits(const DataOptions& options, const DataPlaces& places,
                   const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace lvtext
