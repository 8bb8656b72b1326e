// Stored measurements of the cost of nodes on this machine, for estimates.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// The expected cost of a node, its time as a range.
struct Cost {
  double low = 0, high = 0;  ///< seconds
  double memory = 0;         ///< peak resident size of the process, bytes
  double disk = 0;           ///< size of the node's folder, bytes
  bool estimated = false;    ///< from measurements of other nodes
};

/// The counted work of a node; unset: unknown.
struct Work {
  std::optional<double> units, size;  ///< GraphNode::units, GraphNode::size
};

/// Measurements on this kind of processor with this number of threads, in a file of JSON lines that
/// several processes may append to. Of each cost key (kind, component, cost options) the best of
/// the newest kRecent lines is used, so that one taken on a busy machine has no effect.
class Measures {
 public:
  static constexpr size_t kRecent = 5;

  /// Reads `file` if it exists, and rewrites it if most of many lines are not used any more. Skips
  /// malformed lines: only the estimates are affected.
  explicit Measures(std::filesystem::path file);
  /// $XDG_CACHE_HOME/lvtext/measures.jsonl; $XDG_CACHE_HOME defaults to ~/.cache.
  static std::filesystem::path default_file();

  /// The best measurement for the cost key of `node`; none if there is none.
  std::optional<Measure> find(const GraphNode& node) const;
  /// Stores a measurement. Write errors are ignored.
  void add(const GraphNode& node, const Measure& measure);
  /// The expected cost of a node: from its own measurements, scaled by the work. Between the CPU
  /// time divided by the threads and the CPU time a computation takes on an idle machine, at most
  /// the measured time. Otherwise estimated from the rates of the nodes of the nearest size: those
  /// of its component, with a range of a factor of 2, or else of its kind, of 4. None if none of
  /// them was measured.
  std::optional<Cost> expect(const GraphNode& node, const Work& work) const;

 private:
  struct Line {
    std::string key, kind, component;
    Measure measure;
  };
  /// The best of the newest lines of each key for which `matches` is true.
  template <class Matches>
  std::vector<Line> best_lines(const Matches& matches) const;

  std::filesystem::path file_;
  std::vector<Line> lines_;  // oldest first
};

}  // namespace lvtext
