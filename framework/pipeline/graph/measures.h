// What nodes cost on this machine: measured when they run, kept, and read for estimates.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// Measures by what they depend on: machine, threads, kind, component and the node's cost options.
/// A file of JSON lines that several processes may append to; the newest line of a key counts.
class Measures {
 public:
  /// Reads `file` if it is there; lines that cannot be read are skipped: an estimate is lost, no
  /// work.
  explicit Measures(std::filesystem::path file);
  /// $XDG_CACHE_HOME/lvtext/measures.jsonl, by default below ~/.cache.
  static std::filesystem::path default_file();

  /// What a node of these costs took here; none if none ran yet.
  std::optional<Measure> find(const GraphNode& node) const;
  /// Keeps a measure. A file that cannot be written is no error.
  void add(const GraphNode& node, const Measure& measure);
  /// The cost to expect of a run with `units` of work. None where nothing was measured, and none
  /// for a node that counts its work while that is not known: another length says nothing.
  std::optional<Measure> expect(const GraphNode& node, std::optional<double> units) const;

 private:
  std::filesystem::path file_;
  std::map<std::string, Measure> by_key_;
};

}  // namespace lvtext
