#include "framework/pipeline/store/run_copier.h"

#include <utility>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/file_writer.h"
#include "framework/core/base/files.h"
#include "framework/core/base/input_file.h"
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

/// Digits of an identity at the end of the name of a run's folder.
constexpr size_t kShortHashDigits = 8;

/// The name of a run's folder without its hash. Throws DataError if the hash is that of another
/// identity.
std::string label_of(const fs::path& run, const std::string& identity) {
  const std::string folder = run.filename().string(), hash = identity.substr(0, kShortHashDigits);
  if (hash.size() < kShortHashDigits || !folder.ends_with("-" + hash)) {
    throw DataError("'" + run.string() + "' does not end with '-" + hash +
                    "', the first digits of its identity; it was renamed or is a different run");
  }
  return folder.substr(0, folder.size() - hash.size() - 1);
}

/// Reads the manifest of a run, which may be of another machine. Throws MissingError or DataError.
Json read_manifest(const fs::path& run) {
  const fs::path path = run / kRunManifest;
  if (!fs::exists(path)) throw MissingError("'" + run.string() + "' is not finished");
  Json manifest = parse_sealed(read_file(path, kMaxManifestBytes), path.string());
  check_schema(manifest, kRunManifestSchema, kManifestVersion, path.string());
  return manifest;
}

/// Copies a file. One that is missing is found by the verification of the copy.
void copy_bytes(const fs::path& from, const fs::path& to) {
  if (!fs::is_regular_file(from)) return;
  make_folders(to.parent_path());
  const InputFile source(from);
  FileWriter copy(to);
  std::string buffer(size_t{1} << 20, '\0');
  while (const size_t bytes = source.read(buffer.data(), buffer.size())) {
    throw_if_stopped();
    copy.write({buffer.data(), bytes});
  }
  copy.commit();
}

/// Copies the listed files and the manifest of a run, then verifies the copy. Weights that the
/// manifest does not list, such as those of the last step, have manifests of their own.
void copy_verified(const fs::path& run, const Json& manifest, const fs::path& copy) {
  for (const auto& [file, entry] : manifest.at("files").items()) {
    if (!stays_inside(file)) throw DataError("'" + run.string() + "' lists '" + file + "'");
    copy_bytes(run / file, copy / file);
  }
  std::vector<fs::path> unlisted;
  if (!is_without_weights(manifest.at("metadata"))) {
    for (const auto& [step, weights] : list_checkpoints(run / kWeightsFolder)) {
      const std::string name = kWeightsFolder + step_folder_name(step);
      if (manifest.at("files").contains(name + "/" + kManifestFile)) continue;
      unlisted.push_back(copy / name);
      for (const auto& entry : fs::directory_iterator(weights)) {
        copy_bytes(entry.path(), copy / name / entry.path().filename());
      }
    }
  }
  write_file_synced(copy / kRunManifest, seal(manifest));
  const auto problems = verify_run(copy);
  if (!problems.empty()) throw DataError("'" + run.string() + "': " + join(problems, "; "));
  for (const fs::path& weights : unlisted) {
    try {
      verify_checkpoint(weights);
    } catch (const DataError& error) {
      throw DataError("'" + run.string() + "': " + error.what());
    }
  }
  for (const auto& entry : fs::recursive_directory_iterator(copy)) {
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
    Json manifest = read_manifest(from);
    if (!options.weights) leave_out_weights(manifest);
    return copy_described(from, manifest);
  } catch (const nlohmann::json::exception&) {
    throw DataError("'" + (from / kRunManifest).string() + "' does not describe a finished node");
  }
}

CopyOutcome RunCopier::copy_described(const fs::path& from, const Json& manifest) {
  GraphNode node;
  node.identity = manifest.at("identity").get<std::string>();
  node.label = label_of(from, node.identity);
  if (copied_.contains(node.identity)) return CopyOutcome::kPresent;
  const fs::path there = before_.folder_of(node);
  const bool exists = fs::exists(fs::symlink_status(there));
  if (exists) {
    if (!is_finished(there, node)) throw DataError(in_the_way(there));
    const Json known = *read_run_manifest(there);
    if (!is_without_weights(known.at("metadata")) || is_without_weights(manifest.at("metadata"))) {
      return CopyOutcome::kPresent;
    }
    if (results_of(manifest) != results_of(known)) {
      throw DataError("'" + from.string() + "' has different results than '" + there.string() +
                      "', so its weights cannot be added there");
    }
  }
  const fs::path copy = to_ / kIncomingFolder / there.filename();
  remove_folder(copy);  // remains of a run that was rejected
  make_folders(copy);
  copy_verified(from, manifest, copy);
  if (exists) {
    add_weights(copy, manifest, there);
  } else {
    publish_folder(copy, there);
  }
  copied_.insert(node.identity);
  return exists ? CopyOutcome::kCompleted : CopyOutcome::kCopied;
}

void RunCopier::add_weights(const fs::path& copy, const Json& manifest, const fs::path& there) {
  const FolderLock owned(there);
  make_folders(there / kWeightsFolder);
  for (const auto& [step, weights] : list_checkpoints(copy / kWeightsFolder)) {
    const fs::path location = there / kWeightsFolder / step_folder_name(step);
    remove_folder(location);  // remains of an interrupted completion, not listed in a manifest
    publish_folder(weights, location);
  }
  Json known = *read_run_manifest(there);
  for (const auto& [name, entry] : manifest.at("files").items()) {
    if (name.starts_with(kWeightsFolder)) known["files"][name] = entry;
  }
  known["metadata"] = manifest.at("metadata");
  // Write the manifest last: until then, the run counts as one without weights.
  write_file_atomic(there / kRunManifest, seal(known));
}

}  // namespace lvtext
