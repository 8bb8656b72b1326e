// Data sets as manifests describe them: data/<name>.yaml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/core/data/record_reader.h"
#include "framework/core/data/splits.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// One file of a data set.
struct DataFile {
  std::string role;    ///< "pool", "valid", "test" or a further split with a text of its own
  std::string path;    ///< below a mirror or the cache
  int64_t bytes = 0;   ///< of an unpinned file: the most that a download may bring
  int64_t lines = 0;   ///< 0: not known
  std::string sha256;  ///< empty: unknown, pinned at the first fetch
  std::vector<std::string> urls;     ///< public https addresses; none: mirror-only
  std::string field = {};            ///< which text it holds; empty: what its reader gives
  Choice<RecordReader> reader = {};  ///< nothing: the set's

  template <class V>
  void visit(V& v) {
    v.field("role", role, "pool, valid, test, or a further split with a text of its own",
            required(), not_empty());
    v.field("path", path, "below a mirror or the cache", required(), not_empty());
    v.field("bytes", bytes, "size; of an unpinned file the most that a download may bring",
            required(), at_least(0));
    v.field("lines", lines, "lines; 0: not known", required(), at_least(0));
    v.field("sha256", sha256, "64 hexadecimal digits, or unpinned", required(), not_empty());
    v.field("urls", urls, "public https addresses; none: the file comes from a mirror", required());
    v.field("field", field, "which text it holds; unset: what its reader gives");
    v.field("reader", reader, "how it is read; unset: as the set says");
  }
};

/// The records that a set draws from a generator.
struct Draws {
  int64_t seed = 0;
  std::map<std::string, int64_t> records;  ///< split -> how many

  template <class V>
  void visit(V& v) {
    v.field("seed", seed, "of the stream", at_least(0));
    v.field("records", records, "how many of each split", at_least(0));
  }
};

/// One data set: of files, or drawn where its reader generates.
struct Manifest {
  std::string name, title, license, citation;
  std::vector<std::string> fields;
  std::vector<std::string> use;        ///< the fields of a record; none: the first of `fields`
  Labels labels;                       ///< values of label fields
  std::vector<std::string> relatives;  ///< sets to use instead where this one cannot be had
  Choice<RecordReader> reader{"lines"};
  Draws draws;
  std::vector<DataFile> files;
  SplitRules rules;
  std::map<std::string, int64_t> records;  ///< role -> records of its files together; may be empty

  template <class V>
  void visit(V& v) {
    v.field("name", name, "that of the file", required(), not_empty());
    v.field("title", title, "what it is", required());
    v.field("license", license, "terms of its use", required());
    v.field("citation", citation, "what to cite for it", required());
    v.field("fields", fields, "the texts and labels that it has", required(), not_empty());
    v.field("use", use, "the fields of a record unless a recipe says otherwise; unset: the first");
    v.field("labels", labels, "fields that are labels: their values in the order of their classes");
    v.field("relatives", relatives, "sets to use instead where this one cannot be had");
    v.field("reader", reader, "how its files are read");
    v.field("draws", draws, "of a reader that generates: how many records");
    v.field("splits", rules, "how its records become splits");
    v.field("records", records, "number of records of a role's files together");
    v.field("files", files, "its files");
  }

  bool is_generated() const { return reader->generates(); }
  /// The reader of one of the files.
  const Choice<RecordReader>& reader_of(const DataFile& file) const {
    return file.reader ? file.reader : reader;
  }
  /// A file must come from a mirror because none of the set's files has a public address.
  bool mirror_only() const;
};

/// Throws DataError if the file at `path` holds another number of lines than its manifest says.
void check_lines(const DataFile& file, const std::filesystem::path& path, int64_t found);

/// Where files are kept: LVTEXT_DATA, else ~/.cache/lvtext/data. Imported sets have their manifests
/// there.
std::filesystem::path data_cache();
/// Folders with manifests: data/ of the working directory, of the installation, then the user's.
std::vector<std::filesystem::path> manifest_folders();
/// Names of all manifests, sorted.
std::vector<std::string> manifest_names(const std::vector<std::filesystem::path>& folders);
/// The manifest of a name, from the first folder that has it. Throws MissingError with the known
/// names and the nearest, DataError with all mistakes if it is malformed.
Manifest load_manifest(const std::string& name, const std::vector<std::filesystem::path>& folders);
/// The set as the text of a manifest that load_manifest reads back.
std::string manifest_text(Manifest set);

}  // namespace lvtext
