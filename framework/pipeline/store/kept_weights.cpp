#include "framework/pipeline/store/kept_weights.h"

#include <algorithm>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/pipeline/store/node_parts.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Metadata of a training: period -> "scored", and the steps with removed weights.
constexpr const char* kUntilFact = "until";
constexpr const char* kRemovedFact = "removed";
constexpr const char* kSelectedFact = "selected_step";

std::vector<int64_t> steps_at(const Json& metadata, const char* key) {
  return metadata.value(key, std::vector<int64_t>());
}

/// Returns the steps whose weights every training keeps: the last, the selected and the best step.
std::set<int64_t> own_steps(const Json& metadata) {
  std::set<int64_t> steps;
  for (const char* key : {"steps", kSelectedFact, "best_step"}) {
    if (metadata.contains(key)) steps.insert(metadata.at(key).get<int64_t>());
  }
  return steps;
}

std::vector<int64_t> steps_of(const Json& metadata, const std::string& period) {
  return metadata.at(kCheckpointsKey).at(period).get<std::vector<int64_t>>();
}

bool may_be_removed(const Json& metadata, const std::string& period) {
  return metadata.contains(kUntilFact) && metadata.at(kUntilFact).contains(period);
}

/// True if all readers are finished and at least one of them has a part for each checkpoint of the
/// period.
bool is_scored(const std::vector<fs::path>& readers, const std::string& period) {
  bool scored = false;
  for (const fs::path& reader : readers) {
    const auto manifest = read_run_manifest(reader);
    if (!manifest) return false;
    scored = scored || (manifest->contains("parts") && has_checkpoints(*manifest, period));
  }
  return scored;
}

bool lists(const NodeRun& run, const std::string& file) {
  return std::find(run.outputs.begin(), run.outputs.end(), file) != run.outputs.end();
}

}  // namespace

std::vector<std::string> weight_files(int64_t step) {
  const std::string folder = kWeightsFolder + step_folder_name(step);
  return {folder + "/manifest.json", folder + "/model.safetensors"};
}

void list_kept(NodeRun& run, const KeepOptions& keep, const std::vector<int64_t>& steps) {
  const std::string period = keep.checkpoints->text();
  Json& metadata = run.metadata;
  metadata[kCheckpointsKey][period] = steps;
  if (keep.until) {
    metadata[kUntilFact][period] = enum_name(*keep.until);
  } else if (may_be_removed(metadata, period)) {
    metadata[kUntilFact].erase(period);
  }
  for (const int64_t step : steps) {
    for (const auto& file : weight_files(step)) {
      if (!lists(run, file)) run.outputs.push_back(file);
    }
  }
}

bool list_kept_again(NodeRun& run, const KeepOptions& keep) {
  const std::string period = keep.checkpoints->text();
  if (!run.metadata.contains(kCheckpointsKey) ||
      !run.metadata.at(kCheckpointsKey).contains(period)) {
    return false;
  }
  const std::vector<int64_t> steps = steps_of(run.metadata, period);
  for (const int64_t step : steps) {
    if (!lists(run, weight_files(step).back())) return false;
  }
  list_kept(run, keep, steps);
  return true;
}

bool has_kept(const Json& manifest, const KeepOptions& keep) {
  const std::string period = keep.checkpoints->text();
  if (!has_checkpoints(manifest, period)) return false;
  const Json& metadata = manifest.at("metadata");
  if (keep.until || is_without_weights(metadata)) return true;
  if (may_be_removed(metadata, period))
    return false;  // `keep` requires the weights to be permanent
  for (const int64_t step : steps_of(metadata, period)) {
    if (was_removed(metadata, step)) return false;
  }
  return true;
}

bool was_removed(const Json& metadata, int64_t step) {
  const std::vector<int64_t> removed = steps_at(metadata, kRemovedFact);
  return std::find(removed.begin(), removed.end(), step) != removed.end();
}

bool is_without_weights(const Json& metadata) {
  return metadata.contains(kSelectedFact) &&
         was_removed(metadata, metadata.at(kSelectedFact).get<int64_t>());
}

void leave_out_weights(Json& manifest) {
  Json& metadata = manifest.at("metadata");
  if (!metadata.contains(kSelectedFact)) return;  // not a model
  const std::vector<int64_t> before = steps_at(metadata, kRemovedFact);
  std::set<int64_t> removed = own_steps(metadata);
  removed.insert(before.begin(), before.end());
  const Json kept = metadata.value(kCheckpointsKey, Json::object());
  for (const auto& [period, unused] : kept.items()) {
    const std::vector<int64_t> steps = steps_of(metadata, period);
    removed.insert(steps.begin(), steps.end());
  }
  Json files = Json::object();
  for (const auto& [file, entry] : manifest.at("files").items()) {
    if (!file.starts_with(kWeightsFolder)) files[file] = entry;
  }
  manifest["files"] = files;
  metadata[kRemovedFact] = removed;
}

std::vector<int64_t> removable_steps(const fs::path& training,
                                     const std::vector<fs::path>& readers) {
  const FinishedRun run(training);
  const Json& metadata = run.metadata();
  if (!metadata.contains(kUntilFact)) return {};
  std::set<int64_t> stay = own_steps(metadata), removable;
  for (const auto& [period, steps] : metadata.at(kCheckpointsKey).items()) {
    const bool scored = may_be_removed(metadata, period) && is_scored(readers, period);
    for (const int64_t step : steps_of(metadata, period)) (scored ? removable : stay).insert(step);
  }
  std::vector<int64_t> found;
  for (const int64_t step : removable) {
    std::error_code failed;
    const fs::path folder = training / "snapshots" / step_folder_name(step);
    if (!stay.contains(step) && fs::is_directory(folder, failed)) found.push_back(step);
  }
  return found;
}

void remove_weights(const fs::path& training, int64_t step) {
  auto manifest = read_run_manifest(training);
  if (!manifest) throw MissingError("'" + training.string() + "' is not finished");
  for (const auto& file : weight_files(step)) manifest->at("files").erase(file);
  Json& metadata = manifest->at("metadata");
  std::vector<int64_t> removed = steps_at(metadata, kRemovedFact);
  if (!was_removed(metadata, step)) removed.push_back(step);
  metadata[kRemovedFact] = removed;
  // Write the manifest first: if the process is killed in between, only unlisted weights remain.
  write_file_atomic(training / kRunManifest, seal(*manifest));
  std::error_code failed;
  const fs::path folder = training / "snapshots" / step_folder_name(step);
  fs::remove_all(folder, failed);
  if (failed) throw io_error("remove", folder.string(), failed.value());
}

}  // namespace lvtext
