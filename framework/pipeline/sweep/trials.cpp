#include "framework/pipeline/sweep/trials.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/lock.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kSweepFile = "sweep.yaml";
constexpr const char* kTrialsFile = "trials.jsonl";
constexpr const char* kSchema = "lvtext.trials/1";

std::string to_json_lines(const std::vector<Trial>& trials) {
  std::string text = Json{{"schema", kSchema}}.dump() + "\n";
  for (size_t i = 0; i < trials.size(); ++i) {
    Json setting = Json::object();
    for (const auto& [path, value] : trials[i].setting) setting[path] = value;
    text +=
        Json{{"trial", i + 1}, {"added", trials[i].is_added}, {"setting", setting}}.dump() + "\n";
  }
  return text;
}

std::string text_of(const fs::path& file) {
  std::error_code failed;
  return fs::exists(file, failed) ? read_file(file) : "";
}

/// Reads the trials in the text of a file.
std::vector<Trial> read_trials(const std::string& text, const fs::path& file) {
  std::vector<Trial> trials;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    try {
      const Json json = parse_json(line);
      if (json.contains("schema")) continue;
      Trial trial{{}, json.at("added")};
      for (const auto& [path, value] : json.at("setting").items()) {
        trial.setting.emplace_back(path, value.get<std::string>());
      }
      trials.push_back(std::move(trial));
    } catch (const nlohmann::json::exception& error) {
      throw DataError(file.string() + ": " + json_reason(error));
    }
  }
  return trials;
}

std::vector<Setting> searched_of(const std::vector<Trial>& trials) {
  std::vector<Setting> settings;
  for (const Trial& trial : trials) {
    if (!trial.is_added) settings.push_back(trial.setting);
  }
  return settings;
}

/// The keys whose values differ, besides the search.
std::vector<std::string> differences(const Sweep& one, const Sweep& other) {
  const Json before = to_json(to_node(one)), after = to_json(to_node(other));
  std::vector<std::string> keys;
  for (const auto& [key, value] : before.items()) {
    if (key != "search" && after.at(key) != value) keys.push_back(key);
  }
  return keys;
}

/// Adds the trials of the search that a new sweep file has beyond those of the folder.
void take_over(SweepFolder& folder, const Sweep& sweep) {
  const auto refuse = [&](const std::string& what) {
    throw ConfigError("'" + folder.path.string() + "' is a sweep with other values of " + what +
                      "; give the new one another name, or remove the folder");
  };
  const auto different = differences(folder.sweep, sweep);
  if (!different.empty()) refuse(join(different));
  const auto known = searched_of(folder.trials), requested = searched_settings(sweep);
  const bool is_longer =
      known.size() <= requested.size() && std::equal(known.begin(), known.end(), requested.begin());
  const bool is_other = folder.sweep.search.type != sweep.search.type ||
                        folder.sweep.search.rungs != sweep.search.rungs ||
                        folder.sweep.search.keep != sweep.search.keep;
  const bool decides =
      sweep.search.type == SearchType::kHalving && known.size() != requested.size();
  if (!is_longer || is_other || decides) refuse("search");
  for (size_t i = known.size(); i < requested.size(); ++i) folder.trials.push_back({requested[i]});
  folder.sweep = sweep;
}

/// Waits for a process that writes the trials, which takes a moment.
FolderLock lock_trials(const fs::path& folder) {
  const fs::path writers = folder / "trials.lock";  // the folder itself is locked by `run`
  make_folders(writers);
  for (int attempts = 600;; --attempts) {
    try {
      return FolderLock(writers);
    } catch (const Interrupted&) {
      if (attempts == 0) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

std::string described_trial(size_t index, const Trial& trial) {
  return "trial " + std::to_string(index + 1) + " (" + join(overrides_of(trial.setting)) + ")";
}

SweepFolder open_sweep(const fs::path& file_or_folder, const fs::path& home) {
  std::error_code failed;
  const bool is_folder = fs::is_directory(file_or_folder, failed);
  const Sweep sweep = read_sweep(is_folder ? file_or_folder / kSweepFile : file_or_folder);
  SweepFolder folder{is_folder ? file_or_folder : home / sweep.sweep, sweep, {}};
  const fs::path trials = folder.path / kTrialsFile;
  folder.opened_trials = text_of(trials);
  folder.trials = read_trials(folder.opened_trials, trials);
  if (is_folder) return folder;
  folder.sweep_text = read_file(file_or_folder);
  if (folder.opened_trials.empty()) {
    for (auto& setting : searched_settings(sweep)) folder.trials.push_back({std::move(setting)});
  } else {
    folder.sweep = read_sweep(folder.path / kSweepFile);
    take_over(folder, sweep);
  }
  return folder;
}

size_t add_trial(SweepFolder& folder, const std::vector<std::string>& overrides) {
  if (folder.sweep.search.type == SearchType::kHalving) {
    throw ConfigError("'" + folder.path.string() +
                      "': halving decides among its own trials; use `search: {type: random}`");
  }
  const std::vector<Dimension>& space = folder.sweep.dimensions;
  Setting given;
  for (const auto& text : overrides) {
    const size_t equals = text.find('=');
    const std::string path = text.substr(0, equals);
    std::vector<std::string> paths;
    for (const Dimension& each : space) paths.push_back(each.path);
    if (equals == std::string::npos || std::find(paths.begin(), paths.end(), path) == paths.end()) {
      throw UsageError("'" + text + "' sets no path of the space; " + suggestion(path, paths));
    }
    given.emplace_back(path, text.substr(equals + 1));
  }
  Trial trial{{}, /*is_added=*/true};
  for (const Dimension& dimension : space) {
    const std::string* value = value_of(given, dimension.path);
    const bool is_needed = is_active(dimension, trial.setting);
    if (is_needed && value) trial.setting.emplace_back(dimension.path, *value);
    if (is_needed == (value != nullptr)) continue;
    throw UsageError(is_needed ? "no value for '" + dimension.path + "'"
                               : "'" + dimension.path + "' is set, but its `when` does not hold");
  }
  const auto known = std::find_if(folder.trials.begin(), folder.trials.end(),
                                  [&](const Trial& each) { return each.setting == trial.setting; });
  if (known != folder.trials.end()) return static_cast<size_t>(known - folder.trials.begin());
  folder.trials.push_back(std::move(trial));
  return folder.trials.size() - 1;
}

bool save_sweep(const SweepFolder& folder) {
  const fs::path file = folder.path / kSweepFile, trials = folder.path / kTrialsFile;
  const std::string text = to_json_lines(folder.trials);
  const bool has_new_file = !folder.sweep_text.empty() && folder.sweep_text != text_of(file);
  if (!has_new_file && text == folder.opened_trials) return true;
  const FolderLock lock = lock_trials(folder.path);
  if (text_of(trials) != folder.opened_trials) return false;
  if (has_new_file) write_file_atomic(file, folder.sweep_text);
  if (text != folder.opened_trials) write_file_atomic(trials, text);
  return true;
}

}  // namespace lvtext
