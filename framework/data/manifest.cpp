#include "framework/data/manifest.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/strings.h"
#include "framework/data/compression_records.h"

namespace lvtext {
namespace {

/// Reads keys of one YAML file, with the file and key in every error.
class Keys {
 public:
  Keys(const YAML::Node& node, std::string place) : node_(node), place_(std::move(place)) {
    if (!node_.IsMap()) fail("is not a mapping");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(place_ + " " + what + "; see data/embedded.yaml for a manifest's keys");
  }
  template <class T>
  T get(const std::string& key) const {
    const YAML::Node value = node_[key];
    if (!value) fail("has no key '" + key + "'");
    try {
      return value.as<T>();
    } catch (const YAML::Exception&) {
      fail("has a value of the wrong type for '" + key + "'");
    }
  }
  template <class T>
  T get_or(const std::string& key, const T& fallback) const {
    return node_[key] ? get<T>(key) : fallback;
  }
  YAML::Node node(const std::string& key) const { return node_[key]; }

 private:
  YAML::Node node_;
  std::string place_;
};

constexpr const char* kUnpinned = "unpinned";

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

FileFormat read_format(const Keys& keys, const std::vector<std::string>& fields) {
  const auto name = keys.get_or<std::string>("format", "lines");
  if (name == "lines") return FileFormat::kLines;
  if (name != "compression_records") {
    keys.fail("has the format '" + name + "'; allowed: lines, compression_records");
  }
  const auto& known = compression_fields();
  for (const std::string& field : fields) {
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    keys.fail("is of compression records, which hold no field '" + field + "', only " +
              join(known));
  }
  return FileFormat::kCompressionRecords;
}

/// Each field once, or "-" for a column that is not read.
void check_columns(const Keys& keys, const std::vector<std::string>& columns,
                   const std::vector<std::string>& fields) {
  for (const auto& column : columns) {
    if (column != "-" && std::find(fields.begin(), fields.end(), column) == fields.end()) {
      keys.fail("has the column '" + column + "', which is not one of " + join(fields) + ", -");
    }
  }
  for (const auto& field : fields) {
    if (std::count(columns.begin(), columns.end(), field) != 1) {
      keys.fail("must have one column '" + field + "'");
    }
  }
}

SplitOrder split_order(const Keys& keys, const std::string& name) {
  for (const auto& known : enum_names(SplitOrder{})) {
    if (known.name == name) return known.value;
  }
  keys.fail("has the order '" + name + "'; allowed: content, document");
}

DataFile read_data_file(const Keys& keys, const std::vector<std::string>& fields, bool records) {
  DataFile file;
  if (records) {
    file.columns = keys.get<std::vector<std::string>>("columns");
    file.header = keys.get<bool>("header");
    check_columns(keys, file.columns, fields);
  } else {
    file.format = read_format(keys, fields);
    if (file.format == FileFormat::kLines) file.field = keys.get<std::string>("field");
  }
  file.role = keys.get<std::string>("role");
  file.path = keys.get<std::string>("path");
  file.bytes = keys.get<int64_t>("bytes");
  file.lines = keys.get<int64_t>("lines");
  const auto sum = keys.get<std::string>("sha256");
  file.sha256 = sum == kUnpinned ? "" : sum;
  file.urls = keys.get<std::vector<std::string>>("urls");
  if (!file.field.empty() && std::find(fields.begin(), fields.end(), file.field) == fields.end()) {
    keys.fail("has the field '" + file.field + "', which is not one of " + join(fields));
  }
  if (file.role != "pool" && file.role != "valid" && file.role != "test") {
    keys.fail("has the role '" + file.role + "'; allowed: pool, valid, test");
  }
  if (!stays_inside(file.path)) {
    keys.fail("has the path '" + file.path + "', which leaves the mirror");
  }
  if (sum == kUnpinned ? file.urls.empty() : !is_sha256(sum)) {
    keys.fail("has a sha256 that is not 64 hexadecimal digits (nor `unpinned`, which only files " +
              std::string("with a public address can be)"));
  }
  for (const std::string& url : file.urls) {
    if (!url.starts_with("https://")) keys.fail("has the address '" + url + "'; only https");
  }
  return file;
}

Manifest read_manifest(const std::filesystem::path& path) {
  const std::string place = "'" + path.string() + "'";
  YAML::Node root;
  try {
    root = YAML::Load(read_file(path, size_t{1} << 20));
  } catch (const YAML::Exception& error) {
    throw DataError(place + ", line " + std::to_string(error.mark.line + 1) +
                    ": not YAML: " + error.msg);
  }
  const Keys keys(root, place);
  Manifest set;
  set.name = keys.get<std::string>("name");
  if (set.name != path.stem().string()) keys.fail("names itself '" + set.name + "'");
  set.title = keys.get<std::string>("title");
  set.licence = keys.get<std::string>("licence");
  set.citation = keys.get<std::string>("citation");
  set.fields = keys.get<std::vector<std::string>>("fields");
  set.relatives = keys.get<std::vector<std::string>>("relatives");
  const auto kind = keys.get<std::string>("kind");
  if (set.fields.empty()) keys.fail("has no field");
  set.is_records = kind == "records" || kind == "grammar_records";
  if (set.is_records) {
    const Keys labels(keys.node("labels"), place + ", labels");
    for (const auto& field : set.fields) {
      if (!keys.node("labels")[field]) continue;
      set.labels[field] = labels.get<std::vector<std::string>>(field);
    }
  }
  if (kind == "grammar" || kind == "grammar_records") {
    set.is_grammar = true;
    const Keys draw(keys.node("grammar"), place + ", grammar");
    set.grammar = {draw.get<uint64_t>("seed"), draw.get<int64_t>("train"),
                   draw.get<int64_t>("valid"), draw.get<int64_t>("test"),
                   draw.get<int64_t>("reverse")};
  } else if (kind == "files" || kind == "records") {
    const Keys rules(keys.node("splits"), place + ", splits");
    set.rules.valid_share = rules.get<double>("valid_share");
    set.rules.valid_at_most = rules.get<int64_t>("valid_at_most");
    if (set.is_records) {
      set.group = rules.get<std::string>("group");
      if (std::find(set.fields.begin(), set.fields.end(), set.group) == set.fields.end()) {
        rules.fail("has the group '" + set.group + "', which is not one of " + join(set.fields));
      }
    } else {
      set.rules.test_at_least = rules.get<int64_t>("test_at_least");
      set.rules.reverse_share = rules.get<double>("reverse_share");
      set.rules.dedupe = rules.get_or("dedupe", true);
      set.rules.remove_test_overlap = rules.get_or("remove_test_overlap", true);
      set.rules.clean = rules.get_or("clean", true);
      const auto order = rules.get_or("order", enum_name(SplitOrder::kContent));
      set.rules.order = split_order(rules, order);
      set.reverse_field = rules.get_or<std::string>("reverse_field", "");
      set.records = keys.get_or("records", std::map<std::string, int64_t>{});
    }
    const YAML::Node files = keys.node("files");
    if (!files || !files.IsSequence() || files.size() == 0) keys.fail("lists no files");
    for (size_t i = 0; i < files.size(); ++i) {
      set.files.push_back(read_data_file(Keys(files[i], place + ", file " + std::to_string(i + 1)),
                                         set.fields, set.is_records));
    }
  } else {
    keys.fail("has the kind '" + kind + "'; allowed: files, grammar, records, grammar_records");
  }
  return set;
}

}  // namespace

bool Manifest::mirror_only() const {
  return !is_grammar && std::all_of(files.begin(), files.end(),
                                    [](const DataFile& file) { return file.urls.empty(); });
}

void check_lines(const DataFile& file, const std::filesystem::path& path, size_t found) {
  if (file.lines == 0 || static_cast<int64_t>(found) == file.lines) return;
  throw DataError("'" + path.string() + "' has " + format_count(static_cast<int64_t>(found)) +
                  " lines; its manifest says " + format_count(file.lines));
}

std::filesystem::path data_cache() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string named = variable("LVTEXT_DATA"); !named.empty()) return named;
  const std::string home = variable("HOME");
  return std::filesystem::path(home.empty() ? "." : home) / ".cache" / "lvtext" / "data";
}

std::vector<std::filesystem::path> manifest_folders() {
  std::vector<std::filesystem::path> folders = {"data"};
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const auto folder = program.parent_path();
    // Installed as bin/lvtext, or in a build folder of the source tree.
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

Manifest load_manifest(const std::string& name, const std::vector<std::filesystem::path>& folders) {
  const std::vector<std::string> known = manifest_names(folders);
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    for (const auto& folder : folders) {
      const auto path = folder / (name + ".yaml");
      if (std::filesystem::exists(path)) return read_manifest(path);
    }
  }
  throw MissingError("data.set: there is no data set '" + name + "'; " + suggestion(name, known) +
                     "; data.train=FILE.txt uses a text of your own");
}

}  // namespace lvtext
