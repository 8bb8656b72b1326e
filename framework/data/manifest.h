// Data sets as manifests describe them: data/<name>.yaml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/data/splits.h"

namespace lvtext {

/// How a file holds its text.
enum class FileFormat {
  kLines,               ///< one sentence per line
  kCompressionRecords,  ///< JSON records with all fields of the set (compression_records.h)
};

/// One file of a data set.
struct DataFile {
  std::string field;              ///< which text it holds, such as "compression"; empty: all
  std::string role;               ///< "pool", "valid" or "test"
  std::string path;               ///< below a mirror or the cache
  int64_t bytes = 0;              ///< of an unpinned file: the most that a download may bring
  int64_t lines = 0;              ///< 0: not known
  std::string sha256;             ///< empty: nobody could take it yet, pinned at the first fetch
  std::vector<std::string> urls;  ///< public https addresses; none: mirror-only
  std::vector<std::string> columns = {};  ///< of records: which field each one holds; "-": none
  bool header = false;                    ///< of records: the first line names the columns
  FileFormat format = FileFormat::kLines;

  bool holds(const std::string& wanted) const { return field.empty() || field == wanted; }
};

/// Sizes and seed of a set drawn from the embedded grammar.
struct GrammarDraw {
  uint64_t seed = 0;
  int64_t train = 0, valid = 0, test = 0, reverse = 0;
};

/// One data set. Exactly one of `files` and `grammar` is used, by `is_grammar`.
struct Manifest {
  std::string name, title, licence, citation;
  std::vector<std::string> fields;     ///< the first is the default
  std::vector<std::string> relatives;  ///< sets to use instead where this one cannot be had
  bool is_records = false;  ///< its lines hold all fields (records.h), not a sentence of one field
  std::map<std::string, std::vector<std::string>> labels;  ///< of records: values of label fields
  std::string group;  ///< of records: rows that share this field go to one split
  bool is_grammar = false;
  GrammarDraw grammar;
  std::vector<DataFile> files;
  SplitRules rules;
  /// The field whose text of the pool, beside the training sentences, trains the reverse language
  /// model; empty: a share of the pool does.
  std::string reverse_field;
  std::map<std::string, int64_t> records;  ///< role -> lines or records of its files; may be empty

  /// A file must come from a mirror because none of the set's files has a public address.
  bool mirror_only() const;
};

/// Throws DataError if the file at `path` holds another number of lines than its manifest says.
void check_lines(const DataFile& file, const std::filesystem::path& path, size_t found);

/// Where files are kept: LVTEXT_DATA, else ~/.cache/lvtext/data. Imported sets have their manifests
/// there.
std::filesystem::path data_cache();
/// Folders with manifests: data/ of the working directory, of the installation, then the user's.
std::vector<std::filesystem::path> manifest_folders();
/// Names of all manifests, sorted.
std::vector<std::string> manifest_names(const std::vector<std::filesystem::path>& folders);
/// The manifest of a name, from the first folder that has it. Throws MissingError with the known
/// names and the nearest, DataError naming file and key if it is malformed.
Manifest load_manifest(const std::string& name, const std::vector<std::filesystem::path>& folders);

}  // namespace lvtext
