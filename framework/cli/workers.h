// How many nodes run at once on this machine, and with what.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/worker.h"

namespace lvtext {

/// Slots for the missing nodes of a graph. `count` is the user's wish. Without one: as many as
/// there are GPUs; on a CPU one per core but at most four (small models gain more from running
/// beside each other than from threads), and not more than trainings are missing. One slot is this
/// process; more are workers, started with `worker_arguments`, that share cores and GPUs evenly.
std::vector<std::unique_ptr<Worker>> make_workers(std::optional<int64_t> count, bool on_cpu,
                                                  int64_t missing_trainings,
                                                  const std::vector<std::string>& worker_arguments);

}  // namespace lvtext
