// Exact optimal transport between two small histograms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lvtext {

/// Solves transportation problems by the network simplex method with strongly feasible trees
/// (Cunningham 1976; Ahuja, Magnanti and Orlin 1993, chapter 11): it ends for degenerate problems
/// as well, and the result is exact up to rounding. Keeps its memory, so a solver that is used for
/// many pairs allocates little; not thread-safe.
class Transport {
 public:
  /// The least cost of moving the masses `supply` [m] to `demand` [n], where moving one unit from i
  /// to j costs costs[i * n + j] >= 0. Masses are at least 0. Throws DataError if their sums differ
  /// by more than 1e-9 of the larger one, or if a number is negative or not finite.
  double cost(std::span<const double> costs, std::span<const double> supply,
              std::span<const double> demand);

  /// The masses that the last solution moves, row-major [m, n].
  std::vector<double> flow() const;

 private:
  struct Node {
    int32_t parent = -1, depth = 0;
    int32_t first_child = -1, next = -1, previous = -1;  // siblings
    int64_t arc = -1;  // arc to the parent, i * n + j; -1: artificial
    bool up = true;    // whether it leads from this node to its parent
    double flow = 0;   // of this arc
    double potential = 0;
  };
  double cost_of(int64_t arc) const { return costs_[static_cast<size_t>(arc)]; }
  void start(std::span<const double> supply, std::span<const double> demand);
  /// The arc with the lowest negative reduced cost of the next rows that have one; -1: optimal.
  int64_t entering();
  void pivot(int64_t arc);
  void attach(int32_t node, int32_t parent);
  void detach(int32_t node);
  void update_subtree(int32_t top);

  std::span<const double> costs_;
  int32_t m_ = 0, n_ = 0, row_ = 0;
  double artificial_ = 0, tolerance_ = 0;
  std::vector<Node> nodes_;  // sources, sinks, root
  std::vector<double> sink_potentials_;
  std::vector<int32_t> stack_;
};

}  // namespace lvtext
