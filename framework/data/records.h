// Data sets whose lines hold several fields: pairs of sentences with a label.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/data/fetch.h"
#include "framework/options/options.h"

namespace lvtext {

/// Which records, and how many.
struct RecordOptions {
  std::string set = "nli";
  int64_t train_at_most = 0;
  int64_t seed = 0;
  IfMissing if_missing = IfMissing::kFail;

  template <class V>
  void visit(V& v) {
    v.field("set", set, "name of a set of records (`lvtext data list`)", not_empty());
    v.field("train_at_most", train_at_most, "training records used; 0: all", at_least(0));
    v.field("seed", seed, "another seed, other splits", at_least(0));
    v.field("if_missing", if_missing, "where the set's files cannot be had");
  }
};

/// Names of the sets of records, sorted.
std::vector<std::string> record_set_names(const std::vector<std::filesystem::path>& folders);

/// One value per field, in the order of the set's fields.
using Record = std::vector<std::string>;

/// Records with what their fields are.
struct Records {
  std::vector<std::string> fields;
  std::map<std::string, std::vector<std::string>> labels;  ///< of label fields: their values
  std::vector<Record> records;
};

struct RecordSplits {
  std::vector<Record> train, valid, test;
  int64_t lines = 0;       ///< of the pool and the test files
  int64_t unlabelled = 0;  ///< dropped: a label that the set does not name, or an empty text
  int64_t overlaps = 0;    ///< of the pool, dropped: the test records share their group
  int64_t duplicates = 0;  ///< of the pool, dropped
};

/// Files are verified; every line needs as many columns as the manifest names. Runs of blanks
/// become one, labels are lower-cased. Records of the pool whose group (such as a premise) stands
/// in the test files leave; the others are ordered by the SHA-256 of seed and group, and groups are
/// held out whole for validation. Throws ConfigError unless the set is one of records, MissingError
/// or DataError.
RecordSplits load_records(const RecordOptions& options, const DataPlaces& places,
                          const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The identity of what load_records() gives: options, rules and the files' sums.
nlohmann::json records_fingerprint(
    const RecordOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace lvtext
