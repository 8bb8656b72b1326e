// Manifests that describe data sets: data/<name>.yaml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/sources/splits.h"

namespace lvtext {

/// Revision of the readers and of the preparation of texts: raised by a change after which the same
/// files have other records. Revision 2 treats all Unicode white space alike and removes byte order
/// marks at the start of every line.
inline constexpr int64_t kRecordsRevision = 2;

/// One file of a data set.
struct DataFile {
  std::string role;                  ///< "pool", "valid", "test" or the name of a further split
  std::string path;                  ///< relative to the mirror or the cache
  int64_t bytes = 0;                 ///< size; for an unpinned file the maximum size of a download
  int64_t lines = 0;                 ///< 0: unknown
  std::string sha256;                ///< empty: unknown, pinned at the first fetch
  std::vector<std::string> urls;     ///< public https URLs; empty: mirror-only
  std::string field = {};            ///< the field it contains; empty: the fields of its reader
  Choice<RecordReader> reader = {};  ///< empty: the reader of the set
  std::optional<std::map<std::string, std::string>> values = {};  ///< fields that it lacks
  std::optional<std::string> join = {};  ///< its group; unset: the file has whole records
  std::optional<int64_t> revision = {};  ///< as Manifest::revision; unset: that of the set
  /// First record that is used and the one after the last, from 0; unset: all records.
  std::optional<std::vector<int64_t>> range = {};

  template <class V>
  void visit(V& v) {
    v.field("role", role, "split of the file: pool, valid, test, or the name of a further split",
            required(), not_empty());
    v.field("path", path, "path relative to the mirror or the cache", required(), not_empty());
    v.field("bytes", bytes, "size in bytes; for an unpinned file the maximum size of a download",
            required(), at_least(0));
    v.field("lines", lines, "number of lines; 0: unknown", required(), at_least(0));
    v.field("sha256", sha256, "SHA-256 as 64 hexadecimal digits, or unpinned", required(),
            not_empty());
    v.field("urls", urls, "public https URLs; empty: available from a mirror only", required());
    v.field("field", field, "field that the file contains; unset: the fields of its reader");
    v.field("reader", reader, "reader of the file; unset: the reader of the data set");
    v.field("values", values,
            "fields that have the same value in all records of the file: {style: negative}");
    v.field("join", join,
            "name shared by the files of a role whose records are joined line by line; unset: the "
            "file contains whole records");
    v.field("revision", revision,
            "revision of the readers that last changed the records of the file; unset: that of the "
            "data set",
            Bounds{1, double{kRecordsRevision}});
    v.field("range", range,
            "records of the file that are used, from 0: [0, 31] are the first 31 (unset: all)",
            at_least(0));
    v.check(!range || (range->size() == 2 && range->front() < range->back()),
            "range: must be the first record and the one after the last, such as [0, 31]");
  }
};

/// The records that a generated data set consists of.
struct Draws {
  int64_t seed = 0;
  std::map<std::string, int64_t> records;  ///< split -> number of records

  template <class V>
  void visit(V& v) {
    v.field("seed", seed, "random seed of the record stream", at_least(0));
    v.field("records", records, "number of records of each split", at_least(0));
  }
};

/// One data set: read from files, or drawn from a reader that generates records.
struct Manifest {
  std::string name, title, license, citation;
  std::vector<std::string> fields;
  std::vector<std::string> use;        ///< the fields of a record; empty: the first of `fields`
  Labels labels;                       ///< values of label fields
  std::vector<std::string> relatives;  ///< alternatives if this set is not available
  Choice<RecordReader> reader{"lines"};
  Draws draws;
  std::vector<DataFile> files;
  SplitRules rules;
  std::map<std::string, int64_t> records;  ///< role -> total records of its files; may be empty
  /// Unset: kRecordsRevision. A set that is known to have the same records as with an earlier
  /// revision specifies that one and keeps the results computed from it.
  std::optional<int64_t> revision;

  template <class V>
  void visit(V& v) {
    v.field("name", name, "name of the data set; must equal the name of the manifest file",
            required(), not_empty());
    v.field("title", title, "one-line description", required());
    v.field("license", license, "license of the data", required());
    v.field("citation", citation, "publication to cite", required());
    v.field("fields", fields,
            "names of the texts and labels; [] for files that are no records, such as weights",
            required());
    v.field("use", use, "default fields of a record; unset: the first of `fields`");
    v.field("labels", labels, "label fields, with their values in the order of their classes");
    v.field("relatives", relatives, "data sets to use instead if this one is not available");
    v.field("reader", reader, "reader of the files");
    v.field("draws", draws, "for a reader that generates records: seed and number of records");
    v.field("splits", rules, "rules that assign records to splits");
    v.field("records", records, "role: total number of records of its files");
    v.field("files", files, "files of the data set");
    v.field("revision", revision,
            "revision of the readers that last changed the records of the set; unset: the latest",
            Bounds{1, double{kRecordsRevision}});
  }

  bool is_generated() const { return reader->generates(); }
  /// The reader of a file: its own if it has one, else that of the set.
  const Choice<RecordReader>& reader_of(const DataFile& file) const {
    return file.reader ? file.reader : reader;
  }
  /// The revision of the records of a file.
  int64_t revision_of(const DataFile& file) const {
    return file.revision.value_or(revision.value_or(kRecordsRevision));
  }
  /// True if the set has training records: of a pool that is divided into splits, or generated.
  bool has_pool() const;
  /// True if no file of the set has a public URL, so that a mirror is required.
  bool mirror_only() const;
};

/// Throws DataError unless `found`, the number of lines at `path`, equals that of the manifest.
void check_lines(const DataFile& file, const std::filesystem::path& path, int64_t found);

/// The folder of cached files: LVTEXT_DATA, else ~/.cache/lvtext/data. Also contains the manifests
/// of imported sets.
std::filesystem::path data_cache();
/// Folders with manifests: data/ of the working directory, of the installation, then the cache.
std::vector<std::filesystem::path> manifest_folders();
/// Names of all manifests, sorted.
std::vector<std::string> manifest_names(const std::vector<std::filesystem::path>& folders);
/// Loads a manifest from the first folder that has it. Throws MissingError with the known names and
/// the most similar one, or DataError with all mistakes if the manifest is malformed.
Manifest load_manifest(const std::string& name, const std::vector<std::filesystem::path>& folders);
/// The text of a manifest that load_manifest() parses to an equal set.
std::string manifest_text(Manifest set);

}  // namespace lvtext
