#include "framework/pipeline/store/run_copier.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/file_writer.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/input_file.h"
#include "framework/core/base/printable.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/pipeline/store/kept_weights.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kHashDigits = 64, kShortHashDigits = 8;

bool is_hash(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() == kHashDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// True for a path within a run, as components write them. Reserved names are rejected: a copied
/// lock would never be released, and a copied list of verified files would be trusted.
bool is_file_of_run(const std::string& name) {
  const fs::path path(name);
  if (!stays_inside(path) || path.lexically_normal() != path || !path.has_filename()) return false;
  for (const auto& part : path) {
    const std::string text = part.string();
    const bool visible =
        std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c); });
    if (text.starts_with(".") || !visible) return false;
  }
  return name != kRunManifest && name != "lock" && name != "verified.json";
}

bool is_listing(const Json& files) {
  return files.is_object() && std::all_of(files.begin(), files.end(), [](const Json& entry) {
           return entry.is_object() && entry.contains("bytes") &&
                  entry["bytes"].is_number_unsigned() && is_hash(entry.value("sha256", Json()));
         });
}

/// Throws DataError unless the manifest is a valid description of a node.
void check_description(const fs::path& run, const Json& manifest) {
  const std::string location = "'" + (run / kRunManifest).string() + "' ";
  bool described = is_hash(manifest.value("identity", Json())) &&
                   is_listing(manifest.value("files", Json())) &&
                   manifest.value("revision", Json()).is_number_integer();
  for (const char* key : {"name", "kind", "component"}) {
    described = described && manifest.value(key, Json()).is_string();
  }
  for (const char* key : {"options", "inputs"}) {
    described = described && manifest.value(key, Json()).is_object();
  }
  const Json metadata = manifest.value("metadata", Json(""));
  described = described && (metadata.is_object() || metadata.is_null());
  if (!described) throw DataError(location + "does not describe a finished node");
  for (const auto& [file, entry] : manifest["files"].items()) {
    if (!is_file_of_run(file)) {
      throw DataError(location + "lists '" + printable(file) +
                      "', which is not a valid file name in a run");
    }
  }
  for (const auto& [input_key, input] : manifest["inputs"].items()) {
    const std::string name = input.is_string() ? input.get<std::string>() : "";
    if (name.empty() || name.starts_with(".") || fs::path(name).filename() != name) {
      throw DataError(location + "has an input '" + printable(input_key) +
                      "' that is not a valid name of a run");
    }
  }
  const std::string hash = manifest["identity"].get<std::string>().substr(0, kShortHashDigits);
  const std::string folder = run.filename().string();
  if (folder.starts_with(".") || !folder.ends_with("-" + hash)) {
    throw DataError("'" + run.string() + "' does not end with '-" + hash +
                    "', the first digits of its identity; it was renamed or is a different run");
  }
}

/// Rejects plug-ins inside of the destination: later commands load the plug-ins that a manifest
/// names, and copied files must never be loaded.
void check_plugins(const fs::path& run, const Json& manifest, const fs::path& to) {
  const fs::path home = fs::weakly_canonical(fs::absolute(to));
  for (const auto& plugin : manifest.value("plugins", Json::array())) {
    const fs::path file = plugin.at("file").get<std::string>();
    const fs::path real = fs::weakly_canonical(file);
    const bool inside =
        std::mismatch(home.begin(), home.end(), real.begin(), real.end()).first == home.end();
    if (file.is_absolute() && !inside) continue;
    throw DataError("'" + run.string() + "' names a plug-in '" + printable(file.string()) +
                    "'; plug-ins must have absolute paths outside of the folder of runs");
  }
}

/// Returns the path of the file `name`. Throws DataError unless it is a regular file and all parent
/// paths below `run` are folders; links are rejected.
fs::path regular_file(const fs::path& run, const std::string& name) {
  fs::path path = run;
  const fs::path relative(name);
  for (auto part = relative.begin(); part != relative.end(); ++part) {
    path /= *part;
    std::error_code failed;
    const auto status = fs::symlink_status(path, failed);
    if (!fs::exists(status)) throw DataError("'" + name + "' is missing");
    if (fs::is_symlink(status)) throw DataError("'" + name + "' is a link or in a linked folder");
    const bool last = std::next(part) == relative.end();
    if (!(last ? fs::is_regular_file(status) : fs::is_directory(status))) {
      throw DataError("'" + name + "' is not a regular file");
    }
  }
  return path;
}

/// Reads and validates the manifest of a run from an untrusted source, without checking its files.
Json read_foreign_manifest(const fs::path& run) {
  std::error_code failed;
  const auto status = fs::symlink_status(run, failed);
  if (fs::is_symlink(status)) throw DataError("'" + run.string() + "' is a link");
  const fs::path path = run / kRunManifest;
  if (!fs::exists(fs::symlink_status(path, failed))) {
    throw MissingError("'" + run.string() + "' is not finished");
  }
  regular_file(run, kRunManifest);
  Json manifest = parse_sealed(read_file(path, kMaxManifestBytes), path.string());
  check_schema(manifest, kRunManifestSchema, kManifestVersion, path.string());
  check_description(run, manifest);
  return manifest;
}

/// Copies a file; returns the SHA-256 of the bytes read.
std::string copy_bytes(const fs::path& from, const fs::path& to) {
  make_folders(to.parent_path());
  const InputFile source(from);
  FileWriter copy(to);
  Sha256 hash;
  std::string buffer(size_t{1} << 20, '\0');
  while (const size_t bytes = source.read(buffer.data(), buffer.size())) {
    throw_if_stopped();
    hash.update(buffer.data(), bytes);
    copy.write({buffer.data(), bytes});
  }
  copy.commit();
  return hash.hex();
}

/// Copies a listed file; `entry` has its expected size and hash.
void copy_listed(const fs::path& run, const std::string& name, const Json& entry,
                 const fs::path& copy) {
  const fs::path file = regular_file(run, name);
  const uint64_t bytes = fs::file_size(file);
  if (entry["bytes"] != bytes) {
    throw DataError("'" + name + "' has " + std::to_string(bytes) +
                    " bytes, but the manifest lists " + entry["bytes"].dump());
  }
  const auto sha256 = entry["sha256"].get<std::string>();
  if (copy_bytes(file, copy / name) != sha256) {
    throw DataError("'" + name + "' does not match its SHA-256");
  }
  if (sha256_file(copy / name) != sha256) {
    throw Error(Exit::kIo, "'" + (copy / name).string() +
                               "' does not match the data written to it; check the disk");
  }
}

/// Copies weights that the run's manifest does not list, such as those of the last step; each
/// folder has its own manifest.
void copy_unlisted_weights(const fs::path& run, const Json& files, const fs::path& copy) {
  for (const auto& [step, weights] : list_checkpoints(run / kWeightsFolder)) {
    const std::string name = kWeightsFolder + step_folder_name(step);
    if (files.contains(name + "/" + kManifestFile)) continue;
    regular_file(run, name + "/" + kManifestFile);
    verify_checkpoint(weights);
    for (const auto& entry : fs::directory_iterator(weights)) {
      copy_bytes(entry.path(), copy / name / entry.path().filename());
    }
    verify_checkpoint(copy / name);
  }
}

/// Copies the files whose names start with `prefix`; throws one DataError with all problems.
void copy_files(const fs::path& run, const Json& files, const std::string& prefix,
                const fs::path& copy) {
  std::vector<std::string> problems;
  for (const auto& [name, entry] : files.items()) {
    if (!name.starts_with(prefix)) continue;
    try {
      copy_listed(run, name, entry, copy);
    } catch (const DataError& error) {
      problems.emplace_back(error.what());
    }
  }
  if (!problems.empty()) throw DataError("'" + run.string() + "': " + join(problems, "; "));
}

void sync_folders(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) sync_folder(entry.path());
  }
}

void remove_folder(const fs::path& folder) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  if (failed) throw io_error("remove", folder.string(), failed.value());
}

/// Returns the manifest entries of a run's results, without weights, and without node.json, which
/// contains the name of the recipe and may differ.
Json results_of(const Json& manifest) {
  Json results = Json::object();
  for (const auto& [name, entry] : manifest.at("files").items()) {
    if (name != kNodeFile && !name.starts_with(kWeightsFolder)) results[name] = entry;
  }
  return results;
}

std::string in_the_way(const fs::path& there) {
  return "'" + there.string() + "' exists and is not finished; run its recipe to finish it, or " +
         "remove it with `lvtext runs rm " + there.string() + " --yes` or `lvtext runs gc --yes`";
}

}  // namespace

const std::vector<EnumName<CopyOutcome>>& enum_names(CopyOutcome) {
  static const std::vector<EnumName<CopyOutcome>> names = {
      {"copied", CopyOutcome::kCopied, "the run did not exist there"},
      {"completed", CopyOutcome::kCompleted, "the run there had no weights"},
      {"present", CopyOutcome::kPresent, "the run already existed"}};
  return names;
}

RunCopier::RunCopier(fs::path to) : to_(std::move(to)), before_(to_) {
  const fs::path incoming = to_ / kIncomingFolder;
  make_folders(incoming);
  lock_.emplace(incoming);
  for (const auto& entry : fs::directory_iterator(incoming)) {
    if (entry.is_directory()) remove_folder(entry.path());
  }
}

RunCopier::~RunCopier() {
  // Remove the folder while it is locked; another process then creates a new one.
  std::error_code ignored;
  fs::remove_all(to_ / kIncomingFolder, ignored);
}

CopyOutcome RunCopier::copy(const fs::path& from, const RunCopyOptions& options) {
  try {
    Json manifest = read_foreign_manifest(from);
    check_plugins(from, manifest, to_);
    if (!options.weights) leave_out_weights(manifest);
    return copy_checked(from, std::move(manifest));
  } catch (const nlohmann::json::exception&) {
    throw DataError("'" + (from / kRunManifest).string() + "' does not describe a finished node");
  }
}

CopyOutcome RunCopier::copy_checked(const fs::path& from, Json manifest) {
  const auto identity = manifest.at("identity").get<std::string>();
  if (copied_.contains(identity)) return CopyOutcome::kPresent;
  const std::string folder = from.filename().string();
  GraphNode node;
  node.identity = identity;
  node.label = folder.substr(0, folder.size() - kShortHashDigits - 1);
  const fs::path there = before_.folder_of(node);
  if (fs::exists(fs::symlink_status(there))) {
    if (!is_finished(there, node)) throw DataError(in_the_way(there));
    Json known = *read_run_manifest(there);
    if (!is_without_weights(known.at("metadata")) || is_without_weights(manifest.at("metadata"))) {
      return CopyOutcome::kPresent;
    }
    return complete(from, manifest, there, std::move(known));
  }
  const fs::path copy = to_ / kIncomingFolder / there.filename();
  remove_folder(copy);  // remains of a run that was rejected during copying
  make_folders(copy);
  copy_files(from, manifest.at("files"), "", copy);
  if (!is_without_weights(manifest.at("metadata"))) {
    copy_unlisted_weights(from, manifest.at("files"), copy);
  }
  write_file_synced(copy / kRunManifest, seal(manifest));
  sync_folders(copy);
  publish_folder(copy, there);
  copied_.insert(identity);
  return CopyOutcome::kCopied;
}

CopyOutcome RunCopier::complete(const fs::path& from, const Json& manifest, const fs::path& there,
                                Json known) {
  if (results_of(manifest) != results_of(known)) {
    throw DataError("'" + from.string() + "' has different results than '" + there.string() +
                    "', so its weights cannot be added there");
  }
  const FolderLock owned(there);
  const fs::path copy = to_ / kIncomingFolder / there.filename();
  remove_folder(copy);
  make_folders(copy);
  copy_files(from, manifest.at("files"), kWeightsFolder, copy);
  copy_unlisted_weights(from, manifest.at("files"), copy);
  make_folders(there / kWeightsFolder);
  for (const auto& [step, weights] : list_checkpoints(copy / kWeightsFolder)) {
    const fs::path location = there / kWeightsFolder / step_folder_name(step);
    remove_folder(location);  // remains of an interrupted completion, not listed in a manifest
    publish_folder(weights, location);
  }
  for (const auto& [name, entry] : manifest.at("files").items()) {
    if (name.starts_with(kWeightsFolder)) known["files"][name] = entry;
  }
  known["metadata"] = manifest.at("metadata");
  // Write the manifest last: until then, the run counts as one without weights.
  write_file_atomic(there / kRunManifest, seal(known));
  copied_.insert(manifest.at("identity").get<std::string>());
  return CopyOutcome::kCompleted;
}

}  // namespace lvtext
