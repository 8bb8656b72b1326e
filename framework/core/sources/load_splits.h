// Data options of a recipe and loading of the splits: a data set by name, or the user's own files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/core/sources/fetch.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/sources/splits.h"

namespace lvtext {

/// The options below `data`. If `train` is set, the user's own files are read, if `draws` is set,
/// the records of a generator; `set` is then ignored.
struct DataOptions {
  std::string set = "embedded";
  std::string train, valid, test;
  std::map<std::string, std::string> extra;
  Choice<RecordReader> reader{"lines"};
  std::optional<Draws> draws;
  std::vector<std::string> fields;
  Labels labels;
  int64_t max_words = 0;
  int64_t train_at_most = 0;
  double valid_share = 0.05;
  double test_share = 0.05;
  std::map<std::string, double> shares;
  std::optional<std::string> group;
  std::optional<std::string> by_field;
  std::optional<bool> dedupe;
  std::optional<bool> remove_test_overlap;
  std::optional<bool> remove_valid_overlap;
  std::optional<bool> clean;
  std::optional<SplitOrder> order;
  std::optional<std::vector<std::string>> without;
  std::optional<int64_t> min_word_count;
  int64_t seed = 0;
  IfMissing if_missing = IfMissing::kFail;

  template <class V>
  void visit(V& v) {
    v.field("set", set, "name of a data set (`lvtext data list`)");
    v.field("train", train,
            "training file of your own, plain or .gz, in the format of `reader`, by default one "
            "text per line");
    v.field("valid", valid, "validation file; unset: records of train are held out");
    v.field("test", test, "test file; unset: records of train are held out");
    v.field("extra", extra, "further splits by name, each from its own file: {reverse: FILE}");
    v.field("reader", reader, "reader of your own files, or generator of the records of `draws`");
    v.field("draws", draws,
            "records of your own from a generator: reads neither files nor a named set");
    v.field("fields", fields,
            "fields of a record; unset: those of the data set or the reader, else text");
    v.field("labels", labels, "for own files: label fields and their values");
    v.field("max_words", max_words,
            "maximum number of words of a text; records with a longer text are removed from every "
            "split; 0: no limit",
            at_least(0));
    v.field("train_at_most", train_at_most, "maximum number of training records; 0: no limit",
            at_least(0));
    v.field("valid_share", valid_share, "for own files: share held out for validation",
            Bounds{0, 0.5, /*low_open=*/true, false});
    v.field("test_share", test_share, "for own files: share held out for testing",
            Bounds{0, 0.5, /*low_open=*/true, false});
    v.field("shares", shares,
            "further splits by name, as shares of the records left after validation and test: "
            "{reverse: 0.3}; a named set keeps the splits that it has",
            Bounds{0, 0.9, /*low_open=*/true, false});
    v.field("group", group,
            "field by which records are grouped; a group is never divided between splits (unset: "
            "as the data set specifies)");
    v.field(
        "by_field", by_field,
        "field that contains the split of each record, train, valid or test (unset: as the data "
        "set specifies)");
    v.field("dedupe", dedupe,
            "removes duplicate records from the pool (unset: as the data set specifies)");
    v.field("remove_test_overlap", remove_test_overlap,
            "removes the records of the test set from the pool (unset: as the data set specifies)");
    v.field("remove_valid_overlap", remove_valid_overlap,
            "removes the records of the validation set from the pool (unset: as the data set "
            "specifies)");
    v.field(
        "clean", clean,
        "replaces each run of white space by one blank and removes empty texts; false for running text "
        "(unset: as the data set specifies)");
    v.field("order", order, "order in which records are split (unset: as the data set specifies)");
    v.field("without", without,
            "words between white space, such as <unk>; records with one of them are removed from "
            "every split (unset: as the data set specifies)");
    v.field("min_word_count", min_word_count,
            "removes, from every split, records with a word that occurs less often in the pool "
            "(unset: as the data set specifies)",
            at_least(2));
    v.field("seed", seed, "random seed of the splits", at_least(0));
    v.field("if_missing", if_missing, "result of nodes whose data set is not available");
    v.check(!train.empty() || (valid.empty() && test.empty()),
            "data.valid and data.test require data.train (files of your own)");
    v.check(train.empty() || !draws, "data.train and data.draws exclude each other");
  }

  /// Whether the records are those of the named set `set`.
  bool is_named() const { return train.empty() && !draws; }
  /// The name of the set, of the generator, or "own text".
  std::string name() const;

  /// The first option that is set and removes or moves records; empty if there is none.
  std::string record_filter() const;
  /// Sets the options so that no record is removed or moved.
  void keep_all_records();
};

/// A mistake in the data options.
struct DataMistake {
  std::string key;  ///< below `data`: "group", "labels.style"
  std::string message, hint;
};

/// All mistakes that are found without reading files: unknown fields, and options that do not apply
/// to the data set. Throws MissingError if there is no such set.
std::vector<DataMistake> data_mistakes(
    const DataOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The files of the user that do not exist.
std::vector<DataMistake> missing_files(const DataOptions& options);

/// The fields, labels and types of the records, without rows. Reads no data; throws like
/// load_splits().
Records describe_records(const DataOptions& options,
                         const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The rules by which the splits leave out or reorder records, such as "clean, dedupe"; empty if
/// there are none, as running text requires (Packer::reads_running_text()).
std::string record_rules(const DataOptions& options,
                         const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The options with the rules that the data set specifies for unset ones: group, dedupe, overlaps,
/// clean and order. They have the same fingerprint. Generated sets have no rules. Throws
/// MissingError if there is no such set.
DataOptions with_rules(DataOptions options,
                       const std::vector<std::filesystem::path>& folders = manifest_folders());

/// Names of the splits: train, valid, test, then those of the data set or the options; for a set
/// without a pool only those of its files. For an unknown data set, only the first three.
std::vector<std::string> split_names(
    const DataOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

/// Loads the splits of a recipe's data. Verifies the files and checks their lines; errors about
/// invalid text name the line. Throws ConfigError, MissingError or DataError.
Splits load_splits(const DataOptions& options, const DataLocations& locations,
                   const std::vector<std::filesystem::path>& folders = manifest_folders());

/// Everything that determines the splits, for the identity of nodes, without reading a data set:
/// for a named set the checksums and rules of its manifest, for own files their SHA-256. Equal
/// values imply equal records, independent of file paths. Throws MissingError if the set or a file
/// does not exist.
nlohmann::json data_fingerprint(
    const DataOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

/// Revision of the records (kRecordsRevision) for the identity of nodes: for a named set that of
/// its manifest, for files of the user the latest. Throws like data_fingerprint().
int64_t records_revision(const DataOptions& options,
                         const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The plug-in that provides one of the readers of the data; null for built-in readers.
std::shared_ptr<const Plugin> reader_plugin(
    const DataOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace lvtext
