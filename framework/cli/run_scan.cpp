#include "framework/cli/run_scan.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "framework/core/base/disk.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/lock.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/nodes/kept_weights.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

std::string stamp_of(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "-";
  return std::to_string(info.st_ino) + ":" + std::to_string(info.st_size) + ":" +
         std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec);
}

bool has_live_owner(const fs::path& folder) {
  const auto owner = read_lock_owner(folder);
  return owner && !provably_dead(*owner);
}

}  // namespace

bool is_run(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "node.json", failed) || fs::exists(folder / "manifest.json", failed);
}

FoundRun read_run(const fs::path& folder) {
  FoundRun run;
  run.folder = folder;
  run.state = "begun";
  run.bytes = folder_bytes(folder);
  try {
    const auto manifest = read_run_manifest(folder);
    const auto node = manifest ? manifest : read_run_description(folder);
    if (!node) return run;
    run.identity = node->value("identity", "");
    run.label = node->value("name", "");
    run.kind = node->value("kind", "");
    run.component = node->value("component", "");
    run.inputs = node->at("inputs").get<decltype(run.inputs)>();
    if (manifest) {
      run.state = "finished";
      run.without_weights = is_without_weights(manifest->at("facts"));
    } else if (has_live_owner(folder)) {
      run.state = "running";
    }
  } catch (const Error& error) {
    run.state = "damaged";
    run.problem = error.what();
  } catch (const nlohmann::json::exception&) {
    run.state = "damaged";
    run.problem = "node.json does not describe a node";
  }
  return run;
}

std::string run_stamp(const fs::path& folder) {
  std::string stamp = stamp_of(folder);
  for (const char* part : {"node.json", "manifest.json", "checkpoints", "snapshots"}) {
    stamp += " " + stamp_of(folder / part);
  }
  return stamp;
}

std::vector<std::string> damage_of(const FoundRun& run) {
  if (run.state == "damaged") return {run.problem};
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
