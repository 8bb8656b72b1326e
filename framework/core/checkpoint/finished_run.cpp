#include "framework/core/checkpoint/finished_run.h"

#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/base/log.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/core/checkpoint/run_folder.h"
#include "framework/core/checkpoint/verified_files.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Hashing this much takes about a millisecond, not much longer than reading the stored hashes.
constexpr uint64_t kLargeBytes = uint64_t{1} << 19;

std::string size_difference(const std::string& file, uint64_t bytes, const Json& entry) {
  return "'" + file + "' has " + std::to_string(bytes) + " bytes, the manifest lists " +
         entry.at("bytes").dump();
}

/// Whether a path exists; false also if it cannot be followed, such as a link to itself.
bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(fs::symlink_status(path, failed));
}

std::string hash_difference(const std::string& file) {
  return "'" + file + "' does not match its SHA-256";
}

/// How a file differs from its entry in a manifest; empty if it does not.
std::string difference_of(const fs::path& path, const std::string& name, const Json& entry) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(path, failed))) {
    return "'" + name + "' is missing or not a regular file";
  }
  const uint64_t bytes = stamp_of(path).bytes;
  if (entry.at("bytes") != bytes) return size_difference(name, bytes, entry);
  return entry.at("sha256") == sha256_file(path) ? "" : hash_difference(name);
}

/// The node's folder for the folder of a node or of one of its parts.
fs::path node_folder(const fs::path& run) {
  return is_part_folder(run.filename().string()) ? run.parent_path() : run;
}

/// Restores the log from the newest checkpoint and the manifest; false if that has other bytes.
bool restore_log(const fs::path& run, const Json& manifest) {
  const auto entry = manifest.at("files").find(kLogFile);
  if (entry == manifest.at("files").end()) return false;
  const std::string saved = saved_log(run);
  const std::string log = saved + manifest.value(kLogEnd, "");
  if (saved.empty() || entry->at("sha256") != sha256(log)) return false;
  try {
    write_file_atomic(run / kLogFile, log);
  } catch (const Error& error) {
    log_warning("the damaged log of '" + run.string() + "' was not restored: " + error.what());
    return false;
  }
  log_warning("'" + (run / kLogFile).string() +
              "' was missing, truncated or modified; restored it from the checkpoint");
  return true;
}

bool is_listing(const Json& manifest) {
  if (!manifest.contains("files") || !manifest["files"].is_object()) return false;
  for (const auto& [file, entry] : manifest["files"].items()) {
    if (!stays_inside(file) || !entry.is_object() || !entry.contains("bytes") ||
        !entry["bytes"].is_number_unsigned() || !entry.contains("sha256") ||
        !entry["sha256"].is_string()) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_part_folder(const std::string& name) {
  constexpr size_t kHashDigits = 16;
  if (!name.starts_with(kPartPrefix)) return step_of_folder_name(name).has_value();
  const std::string hash = name.substr(std::string_view(kPartPrefix).size());
  return hash.size() == kHashDigits &&
         hash.find_first_not_of("0123456789abcdef") == std::string::npos;
}

DamagedRun::DamagedRun(const fs::path& run, const std::string& problem)
    : DataError("'" + run.string() + "' is damaged: " + problem +
                "; to compute it again, remove it with `lvtext runs rm " +
                node_folder(run).string() + " --yes --force` and run its recipe"),
      folder(node_folder(run)) {}

FinishedRun::FinishedRun(fs::path folder) : folder_(std::move(folder)) {
  auto manifest = read_run_manifest(folder_);
  if (!manifest) {
    throw MissingError("'" + folder_.string() +
                       "' has no manifest.json: the run is not finished; run its recipe again to "
                       "finish it, or list all runs with `lvtext runs ls`");
  }
  manifest_ = std::move(*manifest);
}

bool FinishedRun::lists(const std::string& name) const {
  return manifest_.at("files").contains(name);
}

const Json& FinishedRun::entry_of(const std::string& name) const {
  const auto& files = manifest_.at("files");
  const auto found = files.find(name);
  if (found == files.end()) {
    throw DataError("'" + folder_.string() + "': the manifest lists no file '" + name + "'");
  }
  return *found;
}

uint64_t FinishedRun::check_size(const std::string& name) const {
  const Json& entry = entry_of(name);
  uint64_t bytes = 0;
  try {
    bytes = stamp_of(folder_ / name).bytes;
  } catch (const MissingError&) {
    throw DamagedRun(folder_, "'" + name + "' is missing");
  } catch (const DataError&) {
    throw DamagedRun(folder_, "'" + name + "' is not a regular file");
  }
  if (entry.at("bytes") != bytes) throw DamagedRun(folder_, size_difference(name, bytes, entry));
  return bytes;
}

void FinishedRun::check_hash(const std::string& name, const std::string& sha256) const {
  if (entry_of(name).at("sha256") != sha256) throw DamagedRun(folder_, hash_difference(name));
}

void FinishedRun::check_whole(const std::string& name) const {
  const bool large = check_size(name) >= kLargeBytes;
  check_hash(name, large ? VerifiedFiles(folder_).sha256_of(name) : sha256_file(folder_ / name));
}

fs::path FinishedRun::file(const std::string& name) const {
  try {
    check_whole(name);
  } catch (const DamagedRun&) {
    if (name != kLogFile || !restore_log(folder_, manifest_)) throw;
    check_whole(name);
  }
  return folder_ / name;
}

std::string FinishedRun::read(const std::string& name) const {
  if (name == kLogFile) file(name);
  check_size(name);
  std::string content = read_file(folder_ / name);
  check_hash(name, sha256(content));
  return content;
}

std::string saved_log(const fs::path& run) {
  const auto checkpoints = list_checkpoints(run / "checkpoints");
  if (checkpoints.empty()) return "";
  std::error_code failed;
  const fs::path log = checkpoints.back().second / kLogFile;
  return fs::is_regular_file(fs::symlink_status(log, failed)) ? read_file(log) : "";
}

std::optional<Json> read_run_manifest(const fs::path& run) {
  const fs::path path = run / kRunManifest;
  if (!is_there(path)) return std::nullopt;
  Json manifest;
  try {
    manifest = parse_sealed(read_file(path, kMaxManifestBytes), path.string());
  } catch (const DataError& error) {
    throw DamagedRun(run, error.what());
  }
  check_schema(manifest, kRunManifestSchema, kManifestVersion, path.string());
  if (!is_listing(manifest)) {
    throw DataError("'" + path.string() + "' does not list files with their sizes and hashes");
  }
  return manifest;
}

void write_run_manifest(const fs::path& folder, const std::vector<std::string>& files,
                        const Json& fields) {
  LVT_ASSERT(fields.is_object() && !fields.contains("schema") && !fields.contains("files") &&
                 !fields.contains("sha256"),
             "the fields schema, files and sha256 of a run's manifest are reserved");
  Json manifest;
  manifest["schema"] = schema_id(kRunManifestSchema, kManifestVersion);
  for (const auto& [key, value] : fields.items()) manifest[key] = value;
  manifest["files"] = Json::object();
  for (const auto& file : files) {
    LVT_ASSERT(stays_inside(file), "'" + file + "' is not a path inside the run");
    const std::string hash = sha256_file(folder / file);
    manifest["files"][file] = {{"bytes", fs::file_size(folder / file)}, {"sha256", hash}};
  }
  write_file_atomic(folder / kRunManifest, seal(manifest));
}

std::optional<Json> read_run_description(const fs::path& run) {
  if (auto manifest = read_run_manifest(run)) return manifest;
  const fs::path path = run / kNodeFile;
  if (!is_there(path)) return std::nullopt;
  auto node = parse_json(read_file(path, kMaxManifestBytes));
  const bool valid = node.is_object() && node.value("options", Json()).is_object() &&
                     node.value("inputs", Json()).is_object();
  if (!valid) throw DataError("'" + path.string() + "' does not describe a node");
  return node;
}

std::vector<std::string> verify_run(const fs::path& run) {
  const FinishedRun finished(run);
  const Json& manifest = finished.manifest();
  std::vector<std::string> problems;
  for (const auto& [file, entry] : manifest.at("files").items()) {
    const std::string problem = difference_of(run / file, file, entry);
    if (problem.empty() || (file == kLogFile && restore_log(run, manifest))) continue;
    problems.push_back(problem);
  }
  return problems;
}

}  // namespace lvtext
