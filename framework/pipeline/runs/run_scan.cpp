#include "framework/pipeline/runs/run_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "framework/core/base/clock.h"
#include "framework/core/base/disk.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/lock.h"
#include "framework/core/base/parallel.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/store/kept_weights.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kLastLines = 4096;  // bytes at the end of a file that contain its last line

/// When a file was written, in milliseconds since 1970; 0 if there is none.
int64_t modified(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return 0;
  return int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
}

/// The date in a field of a JSON object; 0 if there is none.
int64_t date_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return 0;
  return parse_utc_time(found->get<std::string>()).value_or(0);
}

/// The date of the last complete line of timing.jsonl; 0 if there is none.
int64_t last_logged(const fs::path& folder) {
  std::ifstream file(folder / kTimingFile, std::ios::binary | std::ios::ate);
  if (!file) return 0;
  const auto size = static_cast<size_t>(file.tellg());
  std::string end(std::min(size, kLastLines), '\0');
  file.seekg(static_cast<std::streamoff>(size - end.size()));
  file.read(end.data(), static_cast<std::streamsize>(end.size()));
  const auto lines = split(end, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const Json entry = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
    if (entry.is_object()) return date_at(entry, "time");
  }
  return 0;
}

/// When an unfinished run last changed. Files without dates of their own count by their file times;
/// the folder's time is not used, since reading a run may write verified.json.
int64_t last_change(const fs::path& folder) {
  if (const int64_t logged = last_logged(folder); logged != 0) return logged;
  int64_t newest = 0;
  for (const char* name : {kRunManifest, kNodeFile, kFailureFile, kLogFile, "checkpoints"}) {
    newest = std::max(newest, modified(folder / name));
  }
  return newest;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "unset";
  if (value.is_number_float()) return format_number(value.get<double>());
  return value.dump();
}

/// Adds the leaves of nested objects with dotted names; a list is one value.
void flatten(const Json& json, const std::string& path,
             std::map<std::string, std::string>& values) {
  if (!json.is_object()) {
    values[path] = text_of(json);
    return;
  }
  for (const auto& [key, value] : json.items()) {
    flatten(value, path.empty() ? key : path + "." + key, values);
  }
}

std::optional<double> number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// Validation objective of a training's selected weights; for unfinished trainings the last one.
std::optional<double> objective_of(const fs::path& folder, const Json& metadata) {
  const auto selected = number_at(metadata, "selected_step");
  if (selected && selected == number_at(metadata, "best_step")) {
    return number_at(metadata, "best_objective");
  }
  return last_objective(folder, static_cast<int64_t>(selected.value_or(0)));
}

void read_results(const Json& node, const Json& metadata, FoundRun& run) {
  if (run.kind == "train") run.objective = objective_of(run.folder, metadata);
  if (const auto headline = node.find("headline"); headline != node.end()) {
    run.headline = {headline->value("metric", ""), headline->value("score", ""),
                    headline->value("node", "")};
  }
  for (const Json& score : metadata.value("scores", Json::array())) {
    run.scores.push_back({score.at("id").get<std::string>(), number_at(score, "value")});
  }
}

void read_begun(FoundRun& run) {
  run.state = RunState::kInterrupted;
  if (is_owned(run.folder)) {
    run.state = RunState::kRunning;
    return;
  }
  std::error_code failed;
  if (!fs::exists(run.folder / kFailureFile, failed)) return;
  const Json failure = parse_json(read_file(run.folder / kFailureFile));
  run.state = RunState::kFailed;
  if (const int64_t failed_at = date_at(failure, "time"); failed_at != 0) run.changed = failed_at;
  run.problem = failure.is_object() ? failure.value("reason", "") : "";
}

FoundRun read_described(const fs::path& folder) {
  FoundRun run;
  run.folder = folder;
  run.state = RunState::kInterrupted;
  try {
    const auto manifest = read_run_manifest(folder);
    const auto node = manifest ? manifest : read_run_description(folder);
    if (!node) return run;
    run.changed = date_at(*node, "finished");
    run.identity = node->value("identity", "");
    run.label = node->value("name", "");
    run.kind = node->value("kind", "");
    run.component = node->value("component", "");
    run.revision = node->value("revision", int64_t{1});
    run.recipe = node->value("recipe", "");
    run.row = node->value("row", "");
    run.data = node->value("data", std::vector<std::string>());
    run.inputs = node->at("inputs").get<decltype(run.inputs)>();
    flatten(node->value("options", Json::object()), "", run.options);
    Json metadata = Json::object();
    if (manifest) {
      run.state = RunState::kFinished;
      if (manifest->at("metadata").is_object()) metadata = manifest->at("metadata");
      run.without_weights = is_without_weights(metadata);
    } else {
      read_begun(run);
    }
    read_results(*node, metadata, run);
  } catch (const Error& error) {
    run.state = RunState::kDamaged;
    run.problem = error.what();
  } catch (const nlohmann::json::exception&) {
    run.state = RunState::kDamaged;
    run.problem = "node.json does not describe a node";
  }
  return run;
}

}  // namespace

std::optional<double> last_objective(const fs::path& folder, int64_t last) {
  std::optional<double> objective;
  std::error_code failed;
  if (!fs::exists(folder / kLogFile, failed)) return objective;
  for (const auto& line : split(read_file(folder / kLogFile), '\n')) {
    if (line.find("\"validation\"") == std::string::npos) continue;
    const Json entry = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!entry.is_object()) continue;  // an incomplete line
    if (last != 0 && entry.value("step", int64_t{0}) > last) break;
    objective = number_at(entry.value("validation", Json::object()), "objective");
  }
  return objective;
}

const std::vector<EnumName<RunState>>& enum_names(RunState) {
  static const std::vector<EnumName<RunState>> names = {
      {"finished", RunState::kFinished, "all results are complete"},
      {"running", RunState::kRunning, "a live process owns the folder"},
      {"interrupted", RunState::kInterrupted, "started, and no process owns the folder"},
      {"failed", RunState::kFailed, "the latest attempt failed"},
      {"damaged", RunState::kDamaged, "its description cannot be read"}};
  return names;
}

std::string FoundRun::data_text() const {
  return join(data);
}

uint64_t FoundRun::bytes() const {
  return folder_bytes(folder);
}

bool is_run(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / kNodeFile, failed) || fs::exists(folder / kRunManifest, failed);
}

FoundRun read_run(const fs::path& folder) {
  FoundRun run = read_described(folder);
  if (run.changed == 0) run.changed = last_change(folder);
  return run;
}

std::vector<FoundRun> find_runs(const fs::path& runs) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(runs, failed)) {
    if (is_run(entry.path())) names.push_back(entry.path().filename().string());
  }
  if (failed && failed != std::errc::no_such_file_or_directory) {
    throw io_error("read the folder", runs.string(), failed.value());
  }
  std::sort(names.begin(), names.end());
  std::vector<FoundRun> found(names.size());
  // Uses all processors, since reads from a network file system mostly wait.
  parallel_for(names.size(), 0, [&](size_t i) { found[i] = read_run(runs / names[i]); });
  return found;
}

std::vector<std::string> damage_of(const FoundRun& run) {
  if (run.state == RunState::kDamaged) return {run.problem};
  std::vector<std::string> damage;
  if (run.finished()) damage = verify_run(run.folder);
  for (const char* set : {"checkpoints", "snapshots", "average"}) {
    for (const auto& [step, folder] : list_checkpoints(run.folder / set)) {
      try {
        verify_checkpoint(folder);
      } catch (const DataError& error) {
        damage.emplace_back(error.what());
      }
    }
  }
  return damage;
}

}  // namespace lvtext
