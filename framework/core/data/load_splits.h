// The data of a recipe: a set by name, or the user's own files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/data/fetch.h"
#include "framework/core/data/record_reader.h"
#include "framework/core/data/splits.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// The options below `data`. With `train` the user's own files are read and `set` is not used.
struct DataOptions {
  std::string set = "embedded";
  std::string train, valid, test;
  std::map<std::string, std::string> extra;
  Choice<RecordReader> reader{"lines"};
  std::vector<std::string> fields;
  Labels labels;
  int64_t max_words = 0;
  int64_t train_at_most = 0;
  double valid_share = 0.05;
  double test_share = 0.05;
  std::map<std::string, double> shares;
  std::optional<std::string> group;
  std::optional<bool> dedupe;
  std::optional<bool> remove_test_overlap;
  std::optional<bool> clean;
  std::optional<SplitOrder> order;
  int64_t seed = 0;
  IfMissing if_missing = IfMissing::kFail;

  template <class V>
  void visit(V& v) {
    v.field("set", set, "name of a data set (`lvtext data list`)");
    v.field("train", train, "a file of your own, plain or .gz: a text per line, or see `reader`");
    v.field("valid", valid, "validation file; without it records of train are held out");
    v.field("test", test, "test file; without it records of train are held out");
    v.field("extra", extra, "further splits by name with files of their own: {reverse: FILE}");
    v.field("reader", reader, "how files of your own are read");
    v.field("fields", fields,
            "the fields of a record; unset: as the set or the reader says, else text");
    v.field("labels", labels, "own files: fields that are labels, with their values");
    v.field("max_words", max_words, "records with a longer text leave every split; 0: no limit",
            at_least(0));
    v.field("train_at_most", train_at_most, "training records used; 0: all", at_least(0));
    v.field("valid_share", valid_share, "own files: share held out for validation",
            in_range(0, 0.5));
    v.field("test_share", test_share, "own files: share held out for the test", in_range(0, 0.5));
    v.field("shares", shares,
            "own files: further splits by name, shares of what is left: {reverse: 0.3}",
            in_range(0, 0.9));
    v.field("group", group,
            "records that share this field go to one split (unset: as the set says)");
    v.field("dedupe", dedupe, "a record of the pool is used once (unset: as the set says)");
    v.field("remove_test_overlap", remove_test_overlap,
            "the pool loses the records of the test set (unset: as the set says)");
    v.field("clean", clean,
            "runs of blanks become one blank and empty texts leave; false for running text (unset: "
            "as the set says)");
    v.field("order", order, "in which order records are split (unset: as the set says)");
    v.field("seed", seed, "another seed, other splits", at_least(0));
    v.field("if_missing", if_missing, "where the set's files cannot be had");
    v.check(!train.empty() || (valid.empty() && test.empty()),
            "data.valid and data.test belong to files of your own: give data.train too");
  }
};

/// Names of the splits: train, valid, test, and the further ones of the set or the options. An
/// unknown set has the first three.
std::vector<std::string> split_names(
    const DataOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The splits of a recipe's data. Files are verified, lines checked (invalid text fails with its
/// line). Throws ConfigError, MissingError or DataError.
Splits load_splits(const DataOptions& options, const DataLocations& locations,
                   const std::vector<std::filesystem::path>& folders = manifest_folders());

/// What decides the splits, for identities, without reading a data set: a named set by the sums and
/// rules of its manifest, own files by the SHA-256 of their bytes. Equal values mean equal records,
/// wherever the files lie. Throws MissingError for a set or file that is not there.
nlohmann::json data_fingerprint(
    const DataOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The plug-in that one of the data's readers comes from; none for our own.
std::shared_ptr<const Plugin> reader_plugin(
    const DataOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace lvtext
