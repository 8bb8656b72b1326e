#include "evaluators/metrics/transport.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

double checked_sum(std::span<const double> values, const char* what) {
  double sum = 0;
  for (const double value : values) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw DataError(std::string("transport: the ") + what + " must be at least 0 and finite");
    }
    sum += value;
  }
  return sum;
}

}  // namespace

double Transport::cost(std::span<const double> costs, std::span<const double> supply,
                       std::span<const double> demand) {
  LVT_ASSERT(costs.size() == supply.size() * demand.size(), "one cost per pair of points");
  const double given = checked_sum(supply, "masses"), demanded = checked_sum(demand, "masses");
  if (std::abs(given - demanded) > 1e-9 * std::max(given, demanded)) {
    throw DataError("transport: the masses of both sides must have the same sum, but they are " +
                    std::to_string(given) + " and " + std::to_string(demanded) +
                    ": divide each by its sum");
  }
  checked_sum(costs, "costs");
  costs_ = costs;
  m_ = static_cast<int32_t>(supply.size());
  n_ = static_cast<int32_t>(demand.size());
  if (given == 0) {
    nodes_.clear();
    return 0;
  }
  start(supply, demand);
  for (int64_t arc = entering(); arc >= 0; arc = entering()) pivot(arc);
  double total = 0;
  for (const Node& node : nodes_) {
    if (node.arc >= 0) total += node.flow * cost_of(node.arc);
  }
  return total;
}

std::vector<double> Transport::flow() const {
  std::vector<double> flow(static_cast<size_t>(m_) * static_cast<size_t>(n_));
  for (const Node& node : nodes_) {
    if (node.arc >= 0) flow[static_cast<size_t>(node.arc)] = node.flow;
  }
  return flow;
}

// All masses go over the root: a strongly feasible tree, because arcs without flow lead up.
void Transport::start(std::span<const double> supply, std::span<const double> demand) {
  const double largest = costs_.empty() ? 0 : *std::max_element(costs_.begin(), costs_.end());
  artificial_ = (largest + 1) * (m_ + n_ + 1);
  tolerance_ = 1e-14 * artificial_;
  const int32_t root = m_ + n_;
  nodes_.assign(static_cast<size_t>(root) + 1, {});
  sink_potentials_.assign(static_cast<size_t>(n_), artificial_);
  row_ = 0;
  for (int32_t i = 0; i < root; ++i) {
    Node& node = nodes_[i];
    node.depth = 1;
    node.up = i < m_;
    node.flow = i < m_ ? supply[i] : demand[i - m_];
    node.potential = i < m_ ? 0 : artificial_;
    // A sink without demand hangs on an upward arc, which is never used.
    if (i >= m_ && node.flow == 0) {
      node.up = true;
      node.potential = -artificial_;
      sink_potentials_[i - m_] = node.potential;
    }
    attach(i, root);
  }
}

int64_t Transport::entering() {
  for (int32_t tried = 0; tried < m_; ++tried) {
    const int32_t i = row_;
    row_ = row_ + 1 == m_ ? 0 : row_ + 1;
    const double* costs = costs_.data() + static_cast<int64_t>(i) * n_;
    const double* potentials = sink_potentials_.data();
    const double potential = nodes_[i].potential;
    double best = std::numeric_limits<double>::infinity();
    for (int32_t j = 0; j < n_; ++j) best = std::min(best, costs[j] - potentials[j]);
    if (best + potential >= -tolerance_) continue;
    int32_t j = 0;
    while (costs[j] - potentials[j] != best) ++j;
    return static_cast<int64_t>(i) * n_ + j;
  }
  return -1;
}

void Transport::attach(int32_t node, int32_t parent) {
  Node &child = nodes_[node], &above = nodes_[parent];
  child.parent = parent;
  child.previous = -1;
  child.next = above.first_child;
  if (child.next >= 0) nodes_[child.next].previous = node;
  above.first_child = node;
}

void Transport::detach(int32_t node) {
  const Node& child = nodes_[node];
  if (child.next >= 0) nodes_[child.next].previous = child.previous;
  (child.previous >= 0 ? nodes_[child.previous].next : nodes_[child.parent].first_child) =
      child.next;
}

void Transport::pivot(int64_t arc) {
  const auto source = static_cast<int32_t>(arc / n_), sink = static_cast<int32_t>(arc % n_) + m_;
  int32_t u = source, v = sink;
  while (u != v) {
    if (nodes_[u].depth >= nodes_[v].depth) {
      u = nodes_[u].parent;
    } else {
      v = nodes_[v].parent;
    }
  }
  const int32_t join = u;
  // Flow is pushed along the cycle join -> source -> sink -> join. The last arc of it that blocks
  // leaves, which keeps the tree strongly feasible.
  double delta = std::numeric_limits<double>::infinity();
  int32_t leaving = -1;
  bool is_source_side = true;
  for (int32_t x = source; x != join; x = nodes_[x].parent) {
    if (nodes_[x].up && nodes_[x].flow < delta) {
      delta = nodes_[x].flow;
      leaving = x;
    }
  }
  for (int32_t x = sink; x != join; x = nodes_[x].parent) {
    if (!nodes_[x].up && nodes_[x].flow <= delta) {
      delta = nodes_[x].flow;
      leaving = x;
      is_source_side = false;
    }
  }
  LVT_ASSERT(leaving >= 0, "a transportation problem with costs of at least 0 is bounded");
  if (delta > 0) {
    for (int32_t x = source; x != join; x = nodes_[x].parent) {
      nodes_[x].flow += nodes_[x].up ? -delta : delta;
    }
    for (int32_t x = sink; x != join; x = nodes_[x].parent) {
      nodes_[x].flow += nodes_[x].up ? delta : -delta;
    }
  }
  // The subtree below the leaving arc is hung on the entering arc: arcs of the path from its end
  // to the leaving arc turn round.
  const int32_t top = is_source_side ? source : sink, above = is_source_side ? sink : source;
  int32_t node = top, parent = above;
  int64_t new_arc = arc;
  double new_flow = delta;
  bool new_up = is_source_side;
  while (true) {
    Node& moved = nodes_[node];
    const int32_t next = moved.parent;
    detach(node);
    std::swap(moved.arc, new_arc);
    std::swap(moved.flow, new_flow);
    const bool old_up = moved.up;
    moved.up = new_up;
    new_up = !old_up;
    attach(node, parent);
    if (node == leaving) break;
    parent = node;
    node = next;
  }
  update_subtree(top);
}

// Potentials are computed from that of the parent, not shifted, so that rounding does not add up.
void Transport::update_subtree(int32_t top) {
  stack_.assign(1, top);
  while (!stack_.empty()) {
    const int32_t at = stack_.back();
    stack_.pop_back();
    Node& node = nodes_[at];
    const Node& parent = nodes_[node.parent];
    const double cost = node.arc >= 0 ? cost_of(node.arc) : at < m_ ? 0 : artificial_;
    node.depth = parent.depth + 1;
    node.potential = parent.potential + (node.up ? -cost : cost);
    if (at >= m_) sink_potentials_[at - m_] = node.potential;
    for (int32_t child = node.first_child; child >= 0; child = nodes_[child].next) {
      stack_.push_back(child);
    }
  }
}

}  // namespace lvtext
