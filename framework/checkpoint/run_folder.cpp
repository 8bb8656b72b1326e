#include "framework/checkpoint/run_folder.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/checkpoint/checkpoint.h"
#include "framework/checkpoint/manifest.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunManifest = "manifest.json";
constexpr size_t kMaxManifestBytes = size_t{64} << 20;

fs::path created(const fs::path& path) {
  make_folders(path);
  return path;
}

/// Removes what a killed owner left half-written: temporary files and partial checkpoints.
std::vector<std::string> sweep(const RunFolder& run) {
  std::vector<std::string> removed;
  for (const auto& entry : fs::directory_iterator(run.path())) {
    const std::string name = entry.path().filename().string();
    if (name.find(".tmp-") != std::string::npos && fs::is_regular_file(entry.symlink_status())) {
      removed.push_back(name);
    }
  }
  std::error_code failed;
  for (const auto& name : removed) {
    fs::remove(run.path() / name, failed);
    if (failed) throw io_error("remove", (run.path() / name).string(), failed.value());
  }
  for (const auto& folder : {run.checkpoints(), run.snapshots()}) {
    for (const auto& name : sweep_partial(folder, run.lock())) {
      removed.push_back(folder.filename() / name);
    }
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace

RunFolder::RunFolder(const fs::path& path)
    : path_(created(path)),
      lock_(path),
      swept_(sweep(*this)),
      log_(path / "log.jsonl"),
      timing_(path / "timing.jsonl") {}

void RunFolder::mark_finished(const std::vector<std::string>& files,
                              const nlohmann::ordered_json& facts) {
  LVT_ASSERT(facts.is_object() && !facts.contains("format") && !facts.contains("files") &&
                 !facts.contains("sha256"),
             "the facts of a run's manifest do not replace its own fields");
  log_.sync();
  timing_.sync();
  nlohmann::ordered_json manifest;
  manifest["format"] = kManifestFormat;
  manifest["kind"] = "lvtext run";
  for (const auto& [key, value] : facts.items()) manifest[key] = value;
  manifest["files"] = nlohmann::ordered_json::object();
  for (const auto& file : files) {
    LVT_ASSERT(stays_inside(file), "'" + file + "' is not a path inside the run");
    const std::string hash = sha256_file(path_ / file);
    manifest["files"][file] = {{"bytes", fs::file_size(path_ / file)}, {"sha256", hash}};
  }
  write_file_atomic(path_ / kRunManifest, seal(manifest));
}

void RunFolder::mark_unfinished() {
  std::error_code failed;
  fs::remove(path_ / kRunManifest, failed);
  if (failed) throw io_error("remove", (path_ / kRunManifest).string(), failed.value());
  sync_folder(path_);
}

std::optional<nlohmann::ordered_json> read_run_manifest(const fs::path& run) {
  const fs::path path = run / kRunManifest;
  if (!fs::exists(fs::symlink_status(path))) return std::nullopt;
  auto manifest = parse_sealed(read_file(path, kMaxManifestBytes), path.string());
  check_format(manifest, path.string());
  bool valid = manifest.value("kind", nlohmann::ordered_json()) == "lvtext run" &&
               manifest.contains("files") && manifest["files"].is_object();
  if (valid) {
    for (const auto& [file, entry] : manifest["files"].items()) {
      valid = valid && stays_inside(file) && entry.is_object() && entry.contains("bytes") &&
              entry["bytes"].is_number_unsigned() && entry.contains("sha256") &&
              entry["sha256"].is_string();
    }
  }
  if (!valid) throw DataError("'" + path.string() + "' is not the manifest of a run");
  return manifest;
}

std::vector<std::string> verify_run(const fs::path& run) {
  const auto manifest = read_run_manifest(run);
  if (!manifest) {
    throw MissingError("'" + run.string() + "' has no manifest.json: the run is not finished");
  }
  std::vector<std::string> problems;
  for (const auto& [file, entry] : (*manifest)["files"].items()) {
    const fs::path path = run / file;
    std::error_code failed;
    if (!fs::is_regular_file(fs::symlink_status(path, failed))) {
      problems.push_back("'" + file + "' is missing or not a regular file");
    } else if (fs::file_size(path) != entry["bytes"] || entry["sha256"] != sha256_file(path)) {
      problems.push_back("'" + file + "' was changed: its SHA-256 does not match");
    }
  }
  return problems;
}

}  // namespace lvtext
