// Folders of runs for tests: nodes that nothing computed.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/core/base/files.h"
#include "framework/core/checkpoint/finished_run.h"
#include "tests/temporary_folder.h"

namespace lvtext {

struct TestNode {
  std::string label, hash;  ///< of the folder `<label>-<hash>`
  std::string kind = "train", component = "vae";
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  std::map<std::string, std::string> inputs = {};
  nlohmann::ordered_json more = nlohmann::ordered_json::object();
};

/// Writes node.json, and manifest.json with `metadata` unless they are null. Returns the folder.
inline std::filesystem::path write_node(const std::filesystem::path& runs, const TestNode& node,
                                        const nlohmann::ordered_json& metadata) {
  const auto folder = runs / (node.label + "-" + node.hash);
  std::filesystem::create_directories(folder);
  nlohmann::ordered_json description = {
      {"schema", "lvtext.node/1"},   {"identity", node.hash + std::string(56, '0')},
      {"name", node.label},          {"kind", node.kind},
      {"component", node.component}, {"revision", 1},
      {"options", node.options},     {"inputs", node.inputs}};
  description.update(node.more);
  write_file_atomic(folder / kNodeFile, description.dump());
  if (metadata.is_null()) return folder;
  description.erase("schema");
  description["metadata"] = metadata;
  write_run_manifest(folder, {kNodeFile}, description);
  return folder;
}

/// Sets when the run last changed, in seconds since 1970.
inline void set_changed(const std::filesystem::path& folder, int64_t seconds) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto time = std::chrono::file_clock::from_sys(
        std::chrono::sys_time<std::chrono::seconds>(std::chrono::seconds(seconds)));
    std::filesystem::last_write_time(entry.path(), time);
  }
}

}  // namespace lvtext
