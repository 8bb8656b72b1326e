// Storage of the measured costs of nodes on this machine.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// Measures by machine, threads, kind, component and cost options of the node, in a file of JSON
/// lines that several processes may append to; the newest line of a key is used.
class Measures {
 public:
  /// Reads `file` if it exists; invalid lines are ignored.
  explicit Measures(std::filesystem::path file);
  /// $XDG_CACHE_HOME/lvtext/measures.jsonl, by default below ~/.cache.
  static std::filesystem::path default_file();

  /// The measure of a node with the same costs; none if none ran yet.
  std::optional<Measure> find(const GraphNode& node) const;
  /// Stores a measure. Write errors are ignored.
  void add(const GraphNode& node, const Measure& measure);
  /// The expected cost of a run with `units` of work. None without a measure, or if the node counts
  /// its work and `units` is unknown.
  std::optional<Measure> expect(const GraphNode& node, std::optional<double> units) const;

 private:
  std::filesystem::path file_;
  std::map<std::string, Measure> by_key_;
};

}  // namespace lvtext
