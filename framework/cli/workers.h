// Creates the workers that run nodes in parallel on this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/worker.h"

namespace lvtext {

/// Creates `count` workers (--workers). Default: one per GPU, or on a CPU one per core but at most
/// four (small models gain more from parallel runs than from threads), and at most one per
/// training. A single worker is this process; several are processes started with
/// `worker_arguments`, which share cores and GPUs evenly.
std::vector<std::unique_ptr<Worker>> make_workers(std::optional<int64_t> count, bool on_cpu,
                                                  int64_t trainings,
                                                  const std::vector<std::string>& worker_arguments);

}  // namespace lvtext
