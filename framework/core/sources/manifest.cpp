#include "framework/core/sources/manifest.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/yaml.h"

namespace lvtext {
namespace {

constexpr const char* kUnpinned = "unpinned";

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The fields that a file names: its own field or those of its reader, then those of its values.
std::vector<std::string> named_fields(const DataFile& file, const Manifest& set) {
  std::vector<std::string> fields = {file.field};
  if (file.field.empty()) fields = set.reader_of(file)->fields();
  for (const auto& [field, value] : file.values.value_or(std::map<std::string, std::string>())) {
    fields.push_back(field);
  }
  return fields;
}

/// The problem of the values of a file; empty if there is none.
std::string problem_of_values(const DataFile& file, const Manifest& set) {
  if (!file.values) return "";
  for (const auto& [field, value] : *file.values) {
    if (!has_name(set.fields, field)) {
      return "has a value of '" + field + "', which is not one of " + join(set.fields);
    }
    const auto labels = set.labels.find(field);
    if (labels != set.labels.end() && !has_name(labels->second, value)) {
      return "has the value '" + value + "' of '" + field + "', which is not one of " +
             join(labels->second);
    }
  }
  return "";
}

/// The problem of the fields of the files, alone or joined; empty if there is none.
std::string problem_of_fields(const Manifest& set) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> joined;
  for (const DataFile& file : set.files) {
    const std::string name = "file '" + file.path + "'";
    if (file.join && file.field.empty() && set.reader_of(file)->fields().empty()) {
      return name + " has the key `join` and no `field`, which is then required";
    }
    std::vector<std::string> alone;
    std::vector<std::string>& fields = file.join ? joined[{file.role, *file.join}] : alone;
    for (auto& field : named_fields(file, set)) {
      if (has_name(fields, field)) {
        return (file.join ? "the files joined by '" + *file.join + "' have" : name + " has") +
               " the field '" + field + "' twice";
      }
      fields.push_back(std::move(field));
    }
  }
  return "";
}

/// The problem of a file of the set; empty if there is none.
std::string problem_of(const DataFile& file, const Manifest& set) {
  const auto unknown = [&](const std::string& field) {
    return "has the field '" + field + "', which is not one of " + join(set.fields);
  };
  if (!file.field.empty() && !has_name(set.fields, file.field)) return unknown(file.field);
  if (set.reader_of(file)->generates()) return "has a reader that cannot read files";
  for (const auto& field : set.reader_of(file)->fields()) {
    if (!has_name(set.fields, field)) return unknown(field);
  }
  if (std::string problem = problem_of_values(file, set); !problem.empty()) return problem;
  if (!stays_inside(file.path)) return "has the path '" + file.path + "', outside the mirror";
  if (file.sha256 == kUnpinned ? file.urls.empty() : !is_sha256(file.sha256)) {
    return "has an invalid sha256; 64 hexadecimal digits are required, or `unpinned` for a file "
           "with a public URL";
  }
  for (const std::string& url : file.urls) {
    if (!url.starts_with("https://")) return "has the URL '" + url + "'; only https is allowed";
  }
  return "";
}

/// The problem of the splits and their names, which are used as file names; empty if there is none.
std::string problem_of_splits(const Manifest& set) {
  std::vector<std::string> names;
  for (const auto& [split, share] : set.rules.shares) names.push_back(split);
  for (const auto& [split, field] : set.rules.from_field) names.push_back(split);
  for (const auto& name : names) {
    if (name == "train" || !is_lower_snake(name)) {
      return "has a split '" + name + "'; further splits must be lower_snake and not train";
    }
  }
  for (const auto& [split, count] : set.draws.records) {
    if (!is_lower_snake(split))
      return "draws records for '" + split + "', which is not lower_snake";
  }
  if (!set.has_pool() && !names.empty()) {
    return "has a split '" + names.front() + "' of the pool, but no file of the role pool";
  }
  if (!set.is_generated()) return "";
  if (set.draws.records.empty()) return "draws no records";
  // The reader draws records with all of its fields.
  for (const auto& field : set.fields) {
    if (has_name(set.reader->fields(), field)) continue;
    return "has the field '" + field + "', but its reader draws " + join(set.reader->fields());
  }
  return "";
}

/// The first problem of the set; empty if there is none.
std::string problem_of(const Manifest& set, const std::string& name) {
  if (set.name != name) return "has the name '" + set.name + "', which is not the file's";
  for (const auto& field : set.use) {
    if (!has_name(set.fields, field)) return "uses '" + field + "', which is not one of its fields";
  }
  for (const auto& [field, values] : set.labels) {
    if (!has_name(set.fields, field))
      return "has labels of '" + field + "', which is not one of its fields";
  }
  if (set.is_generated() != set.files.empty()) {
    return set.files.empty() ? "lists no files" : "lists files, but its reader reads none";
  }
  for (const DataFile& file : set.files) {
    const std::string problem = problem_of(file, set);
    if (!problem.empty()) return "file '" + file.path + "' " + problem;
  }
  if (std::string problem = problem_of_fields(set); !problem.empty()) return problem;
  return problem_of_splits(set);
}

Manifest read_manifest(const std::filesystem::path& path) {
  Errors errors;
  const Node tree = load_yaml(path, errors);
  auto set = errors.empty() ? parse_options<Manifest>(tree, errors) : Manifest{};
  if (!errors.empty()) throw DataError(errors.report());
  const std::string problem = problem_of(set, path.stem().string());
  if (!problem.empty()) {
    throw DataError("'" + path.string() + "': " + problem +
                    "; see data/nli.yaml for an example of a manifest");
  }
  for (DataFile& file : set.files) {
    if (file.sha256 == kUnpinned) file.sha256.clear();
  }
  return set;
}

}  // namespace

bool Manifest::has_pool() const {
  if (is_generated()) return draws.records.contains("train");
  return std::any_of(files.begin(), files.end(),
                     [](const DataFile& file) { return file.role == "pool"; });
}

bool Manifest::mirror_only() const {
  return !is_generated() && std::all_of(files.begin(), files.end(),
                                        [](const DataFile& file) { return file.urls.empty(); });
}

void check_lines(const DataFile& file, const std::filesystem::path& path, int64_t found) {
  if (file.lines == 0 || found == file.lines) return;
  throw DataError("'" + path.string() + "' has " + format_count(found, "line") +
                  ", but its manifest specifies " + format_count(file.lines));
}

std::filesystem::path data_cache() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string named = variable("LVTEXT_DATA"); !named.empty()) return named;
  const std::string home = variable("HOME");
  return std::filesystem::path(home.empty() ? "." : home) / ".cache" / "lvtext" / "data";
}

std::vector<std::filesystem::path> manifest_folders() {
  std::vector<std::filesystem::path> folders = {"data"};
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const auto folder = program.parent_path();
    // The program is installed as bin/lvtext or located in a build folder of the source tree.
    folders.push_back(folder.parent_path() / "share" / "lvtext" / "data");
    folders.push_back(folder.parent_path() / "data");
    folders.push_back(folder.parent_path().parent_path() / "data");
  }
  folders.push_back(data_cache());
  return folders;
}

std::vector<std::string> manifest_names(const std::vector<std::filesystem::path>& folders) {
  std::set<std::string> names;
  for (const auto& folder : folders) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

namespace {

/// Caches manifests; a file is read again if it was modified (`data import`).
Manifest known_manifest(const std::filesystem::path& path) {
  struct Known {
    std::filesystem::file_time_type written;
    Manifest set;
  };
  static std::mutex mutex;
  static std::map<std::filesystem::path, Known> all;
  const std::scoped_lock lock(mutex);
  const auto written = std::filesystem::last_write_time(path);
  const auto found = all.find(path);
  if (found != all.end() && found->second.written == written) return found->second.set;
  const Known known{written, read_manifest(path)};
  all.insert_or_assign(path, known);
  return known.set;
}

}  // namespace

Manifest load_manifest(const std::string& name, const std::vector<std::filesystem::path>& folders) {
  const std::vector<std::string> known = manifest_names(folders);
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    for (const auto& folder : folders) {
      const auto path = folder / (name + ".yaml");
      if (std::filesystem::exists(path)) return known_manifest(path);
    }
  }
  throw MissingError("data.set: unknown data set '" + name + "'; " + suggestion(name, known) +
                     "; set data.train=FILE.txt to use your own text");
}

std::string manifest_text(Manifest set) {
  for (DataFile& file : set.files) {
    if (file.sha256.empty()) file.sha256 = kUnpinned;
  }
  return to_yaml(to_node(std::move(set)));
}

}  // namespace lvtext
