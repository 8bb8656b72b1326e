// Stored measurements of the cost of nodes on this machine, for estimates.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// Measurements by cost key: processor, threads, kind, component and the node's cost options.
/// Stored in a file of JSON lines that several processes may append to; the last line of a key is
/// used.
class Measures {
 public:
  /// Reads `file` if it exists. Skips malformed lines: only the estimates are affected.
  explicit Measures(std::filesystem::path file);
  /// $XDG_CACHE_HOME/lvtext/measures.jsonl; $XDG_CACHE_HOME defaults to ~/.cache.
  static std::filesystem::path default_file();

  /// The measurement for the cost key of `node`; none if there is none.
  std::optional<Measure> find(const GraphNode& node) const;
  /// Stores a measurement. Write errors are ignored.
  void add(const GraphNode& node, const Measure& measure);
  /// The expected cost of a run with `units` of work. None without a measurement, or if the node
  /// counts its work and the units are unknown, since its cost depends on them.
  std::optional<Measure> expect(const GraphNode& node, std::optional<double> units) const;

 private:
  std::filesystem::path file_;
  std::map<std::string, Measure> by_key_;
};

}  // namespace lvtext
