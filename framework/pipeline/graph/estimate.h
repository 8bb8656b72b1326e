// Estimates of the cost of unfinished nodes, from measurements on this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/graph/measures.h"

namespace lvtext {

/// The expected cost of unfinished nodes. A node without a measurement of an equal node on this
/// machine is counted as not measured.
struct Estimate {
  std::map<std::string, Measure> nodes;  ///< node -> cost
  std::vector<std::string> unmeasured;   ///< nodes without an estimate
  double seconds = 0;                    ///< sum over `nodes`
  double longest = 0;                    ///< the longest node, seconds
  double memory = 0;                     ///< maximum over `nodes`, bytes
  double disk = 0;                       ///< sum over `nodes`, bytes
};

/// `packs`: the datasets of the recipe ("train", "valid"), for nodes whose inputs are not finished;
/// empty if they are not finished either.
Estimate estimate(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                  const NodeInputs& packs, const Measures& measures);

/// "about 1h 12m, 230 MiB of disk, 410 MiB of memory a node" with `workers` workers; "at least ...;
/// 5 nodes not measured" if some were not measured, "not measured" if none was.
std::string estimate_text(const Estimate& estimate, size_t workers);

/// Warning that the nodes need more than the `free` bytes of the disk of `runs`; empty if they fit.
std::string disk_warning(const Estimate& estimate, std::optional<uint64_t> free,
                         const std::filesystem::path& runs);

/// Times a few steps on `packs` for each training without a measurement, and stores the results.
/// Returns the new measurements by node.
std::map<std::string, Measure> measure_trainings(const std::vector<const GraphNode*>& nodes,
                                                 const NodeInputs& packs, Measures& measures,
                                                 const Worker::Progress& progress);

}  // namespace lvtext
