// What the missing nodes of a graph will cost, from what was measured on this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/graph/measures.h"

namespace lvtext {

/// The expected cost of the nodes that are not finished. A node that never ran here, nor one of the
/// same costs, is counted as not measured; nothing is guessed for it.
struct Estimate {
  std::map<std::string, Measure> nodes;  ///< node -> cost, of those that could be estimated
  std::vector<std::string> unmeasured;   ///< the others
  double seconds = 0;                    ///< of all `nodes`, one after another
  double longest = 0;                    ///< the longest chain's node, seconds
  double memory = 0;                     ///< the largest of `nodes`, bytes
  double disk = 0;                       ///< of all `nodes`, bytes
};

/// `packs`: the recipe's ("train", "valid"), for nodes whose inputs are not finished; empty if they
/// are not there themselves.
Estimate estimate(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                  const NodeInputs& packs, const Measures& measures);

/// "about 1h 12m, 230 MiB of disk, 410 MiB of memory a node", for nodes that run on `slots` slots;
/// "at least ...; 5 nodes not measured" where some were not, "not measured" where nothing was.
std::string estimate_text(const Estimate& estimate, size_t workers);

/// Says that the nodes need more than the `free` bytes of the disk of `runs`; empty if they fit.
std::string disk_warning(const Estimate& estimate, std::optional<uint64_t> free,
                         const std::filesystem::path& runs);

/// Times a few steps on `packs` of each training that was never measured here and keeps the
/// figures. Returns what was measured, by node.
std::map<std::string, Measure> measure_trainings(const std::vector<const GraphNode*>& nodes,
                                                 const NodeInputs& packs, Measures& measures,
                                                 const Worker::Progress& progress);

}  // namespace lvtext
