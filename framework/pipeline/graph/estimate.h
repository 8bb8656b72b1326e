// Cost estimates for the missing nodes of a graph, from measurements on this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/graph/measures.h"

namespace lvtext {

/// The expected cost of the nodes that are not finished. Nodes without a measurement for the same
/// cost key (see Measures) are listed as unmeasured; no value is guessed for them.
struct Estimate {
  std::map<std::string, Measure> nodes;  ///< node -> cost, for nodes that could be estimated
  std::vector<std::string> unmeasured;   ///< all other nodes
  double seconds = 0;                    ///< sum over `nodes`
  double longest = 0;                    ///< maximum seconds of one of `nodes`
  double memory = 0;                     ///< maximum of `nodes`, bytes
  double disk = 0;                       ///< sum over `nodes`, bytes
};

/// `packs`: the recipe's packs ("train", "valid"), used for nodes whose inputs are not finished;
/// empty if the packs do not exist either.
Estimate estimate(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                  const NodeInputs& packs, const Measures& measures);

/// "about 1h 12m, 230 MiB of disk, 410 MiB of memory per node", for nodes that run on `workers`
/// workers; "at least ...; 5 nodes not measured" if some nodes are unmeasured, "not measured" if
/// all are.
std::string estimate_text(const Estimate& estimate, size_t workers);

/// Warning that the nodes need more than the `free` bytes on the disk of `runs`; empty if they fit.
std::string disk_warning(const Estimate& estimate, std::optional<uint64_t> free,
                         const std::filesystem::path& runs);

/// Times a few steps on `packs` of each training without a measurement and stores the results.
/// Returns the new measurements by node.
std::map<std::string, Measure> measure_trainings(const std::vector<const GraphNode*>& nodes,
                                                 const NodeInputs& packs, Measures& measures,
                                                 const Worker::Progress& progress);

}  // namespace lvtext
