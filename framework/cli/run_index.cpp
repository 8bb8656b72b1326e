#include "framework/cli/run_index.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/run_folder.h"
#include "framework/options/errors.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

FoundRun read_run(const fs::path& folder) {
  FoundRun run{folder, "", "", "", "begun", ""};
  try {
    const auto manifest = read_run_manifest(folder);
    const auto node = manifest ? *manifest
                               : nlohmann::ordered_json::parse(read_file(folder / "node.json"));
    run.identity = node.value("identity", "");
    run.kind = node.value("kind", "");
    run.component = node.value("component", "");
    if (manifest) run.state = "finished";
  } catch (const Error& error) {
    run.state = "damaged";
    run.problem = error.what();
  } catch (const nlohmann::json::exception& error) {
    run.state = "damaged";
    run.problem = "node.json: " + std::string(error.what());
  }
  return run;
}

// The beginning of a folder's name that <paper>/<row>@<profile>#<seed> stands for, without the hash.
struct Wanted {
  std::string stem, profile, seed;

  explicit Wanted(std::string name) {
    if (const size_t at = name.find('#'); at != std::string::npos) {
      seed = name.substr(at + 1);
      name.resize(at);
    }
    if (const size_t at = name.find('@'); at != std::string::npos) {
      profile = name.substr(at + 1);
      name.resize(at);
    }
    std::replace(name.begin(), name.end(), '/', '.');
    stem = name;
  }

  // A folder is called <paper>.<row>.<profile>.s<seed>-<hash8>.
  bool matches(const std::string& folder) const {
    const std::string label = folder.substr(0, folder.rfind('-'));
    const size_t seed_at = label.rfind('.');
    if (seed_at == std::string::npos || seed_at == 0) return false;
    const size_t profile_at = label.rfind('.', seed_at - 1);
    if (profile_at == std::string::npos) return false;
    return label.substr(0, profile_at) == stem &&
           (profile.empty() ||
            label.substr(profile_at + 1, seed_at - profile_at - 1) == profile) &&
           (seed.empty() || label.substr(seed_at + 1) == "s" + seed);
  }
};

std::string name_of(const FoundRun& run) { return run.folder.filename().string(); }

}  // namespace

std::vector<FoundRun> find_runs(const fs::path& runs) {
  std::vector<FoundRun> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(runs, failed)) {
    if (fs::exists(entry.path() / "node.json", failed) ||
        fs::exists(entry.path() / "manifest.json", failed)) {
      found.push_back(read_run(entry.path()));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const FoundRun& a, const FoundRun& b) { return a.folder < b.folder; });
  return found;
}

FoundRun find_run(const std::string& name, const fs::path& runs) {
  std::error_code failed;
  for (const fs::path& folder : {fs::path(name), runs / name}) {
    if (!name.empty() && (fs::exists(folder / "node.json", failed) ||
                          fs::exists(folder / "manifest.json", failed))) {
      return read_run(folder);
    }
  }
  const Wanted wanted(name);
  std::vector<FoundRun> candidates;
  std::vector<std::string> names;
  for (const FoundRun& run : find_runs(runs)) {
    names.push_back(name_of(run));
    const bool by_hash = name.size() >= 4 && run.identity.starts_with(name);
    if (by_hash || wanted.matches(name_of(run))) candidates.push_back(run);
  }
  if (candidates.size() == 1) return candidates[0];
  if (candidates.empty()) {
    const auto near = nearest(name, names);
    throw MissingError("no run " + shown(name) + " below " + runs.string() + "; " +
                       (near ? "did you mean '" + *near + "'? " : "") +
                       "`lvtext runs ls` lists them");
  }
  std::vector<std::string> fitting;
  for (const FoundRun& run : candidates) fitting.push_back(name_of(run));
  throw UsageError(shown(name) + " fits several runs, name one: " + join(fitting));
}

uint64_t folder_bytes(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed)) {
    if (entry.is_regular_file(failed)) bytes += entry.file_size(failed);
  }
  return bytes;
}

}  // namespace lvtext
