#include "framework/cli/commands/checkpoint_location.h"

#include "framework/core/base/error.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/nodes/node_parts.h"

namespace lvtext {

namespace fs = std::filesystem;

fs::path checkpoint_of(const fs::path& given) {
  std::error_code failed;
  if (!fs::is_directory(given, failed)) {
    throw MissingError("there is no folder '" + given.string() +
                       "'; give a checkpoint (.../checkpoints/step-N, .../snapshots/step-N) or " +
                       "its run");
  }
  if (fs::exists(given / "node.json", failed)) {
    const auto manifest = read_run_manifest(given);
    const auto metadata =
        manifest ? manifest->value("metadata", nlohmann::ordered_json()) : nlohmann::ordered_json();
    if (metadata.is_object() && metadata.contains("selected_step")) {
      const auto step = metadata["selected_step"].get<int64_t>();
      check_kept(given, step);
      return given / "snapshots" / step_folder_name(step);
    }
  }
  for (const fs::path& parent : {given / "checkpoints", given / "snapshots", given}) {
    const auto found = list_checkpoints(parent);
    if (!found.empty()) return found.back().second;
  }
  return given;
}

}  // namespace lvtext
