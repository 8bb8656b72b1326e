// Cost estimates for the missing nodes of a graph, from measurements on this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/graph/measures.h"

namespace lvtext {

/// The expected cost of the nodes that are not finished.
struct Estimate {
  std::map<std::string, Cost> nodes;    ///< node -> cost, for nodes that could be estimated
  std::vector<std::string> unmeasured;  ///< all other nodes
  size_t estimated = 0;                 ///< number of `nodes` whose cost is that of similar nodes
  double low = 0, high = 0;             ///< seconds, sums over `nodes`
  double longest_low = 0, longest_high = 0;  ///< maximum seconds of one of `nodes`
  double memory = 0;                         ///< maximum of `nodes`, bytes
  double disk = 0;                           ///< sum over `nodes`, bytes

  void add(const std::string& node, const Cost& cost);
  /// The time on `workers` workers: "1h12m to 1h30m".
  std::string time(size_t workers) const;
};

/// `nodes` must have all nodes that they depend on.
Estimate estimate(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                  const Measures& measures);

/// "about 1h12m" or "1h12m to 2h30m"; with " (estimated)" if the cost is that of similar nodes.
std::string time_text(double low, double high, bool is_estimated);

/// "1h12m to 1h30m, 230 MiB of disk, 410 MiB of memory per node", for nodes that run on `workers`
/// workers; "at least ...; 5 nodes not measured" if some nodes are unmeasured, "not measured" if
/// all are. Says how many nodes are estimated from others.
std::string estimate_text(const Estimate& estimate, size_t workers);

/// Warning that the nodes need more than the `free` bytes on the disk of `runs`; empty if they fit.
std::string disk_warning(const Estimate& estimate, std::optional<uint64_t> free,
                         const std::filesystem::path& runs);

/// Times a few steps of each training without a measurement, on its finished datasets or else those
/// of the nearest training that it is computed from, and stores the results. Returns the new
/// measurements by node.
std::map<std::string, Measure> measure_trainings(const std::vector<const GraphNode*>& nodes,
                                                 const GraphStatus& status, Measures& measures,
                                                 const Worker::Progress& progress);

}  // namespace lvtext
