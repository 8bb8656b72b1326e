#include "framework/cli/run_damage.h"

#include "framework/base/error.h"
#include "framework/checkpoint/checkpoint.h"
#include "framework/checkpoint/finished_run.h"

namespace lvtext {

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
