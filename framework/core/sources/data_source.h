// What the data options of a recipe and the manifest of a set describe together: the files, the
// fields and the rules of the splits.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/sources/load_splits.h"
#include "framework/core/sources/manifest.h"

namespace lvtext {

/// A file to read: listed in the manifest of a set, or the user's own.
struct SourceFile {
  Choice<RecordReader> reader;
  const DataFile* listed = nullptr;
  std::string own, key;                  ///< for an own file: its path, and the option that sets it
  std::vector<std::string> fields = {};  ///< fields that it provides; empty: any
};

/// Files whose records are joined line by line; usually one.
struct SourceGroup {
  std::string role;
  std::vector<SourceFile> files = {};
  std::map<std::string, std::string> values = {};  ///< fields with one value for all records
  std::string join = {};                           ///< DataFile::join of the files
};

/// The data specified by options and manifest.
struct DataSource {
  Manifest set;  ///< for own files, see own_set()
  bool is_own = false;
  std::vector<std::string> fields;
  std::vector<std::string> read;   ///< the fields and, if it is not one of them, rules.group
  std::vector<std::string> names;  ///< names of `read` in the records
  Labels labels;
  FieldTypes types;
  SplitRules rules;
  std::vector<SourceGroup> groups;
  std::vector<DataMistake> mistakes;  ///< mistakes in the options
};

/// The set that the options name or describe.
Manifest set_of(const DataOptions& options, const std::vector<std::filesystem::path>& folders);

/// The splits of the set itself, without those of the options; no "pool".
std::vector<std::string> splits_of(const Manifest& set);

/// The shares of splits that a named set lacks, which divide its training records. None if it has
/// no files of a pool.
std::map<std::string, double> added_shares(const DataOptions& options, const Manifest& set);

/// The source with all mistakes of the options. Returns a shared pointer because the files point
/// into the set.
std::shared_ptr<const DataSource> checked_source(const DataOptions& options,
                                                 const std::vector<std::filesystem::path>& folders);

/// The same. Throws ConfigError with all mistakes of the options.
std::shared_ptr<const DataSource> data_source(const DataOptions& options,
                                              const std::vector<std::filesystem::path>& folders);

/// The fields to read from the files of a role: those of the record and, for the pool, those of
/// `from_field` and `by_field`.
std::vector<std::string> requested_fields(const DataSource& source, const std::string& role);

/// The indices of the fields of `requested` that a file of the group contains.
std::vector<size_t> indices_in(const SourceFile& file, const SourceGroup& group,
                               const std::vector<std::string>& requested);

std::vector<std::string> names_at(const std::vector<size_t>& indices,
                                  const std::vector<std::string>& names);

/// Whether the records of a group have all of these fields, at least one of them from a file.
bool gives(const SourceGroup& group, const std::vector<std::string>& requested);

/// Calls `each` with every file that is read, its group and the fields to read.
template <class Each>
void for_each_file(const DataSource& source, const Each& each) {
  for (const SourceGroup& group : source.groups) {
    const auto requested = requested_fields(source, group.role);
    if (!gives(group, requested)) continue;
    for (const SourceFile& file : group.files) {
      const auto fields = names_at(indices_in(file, group, requested), requested);
      if (!fields.empty()) each(group, file, fields);
    }
  }
}

/// Records of the source's fields, without rows.
Records no_records(const DataSource& source);

/// Removes the field that was read only to group the records.
void remove_group(const DataSource& source, Records& records);

}  // namespace lvtext
