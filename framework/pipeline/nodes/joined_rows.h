// Checks which nodes have corresponding rows, so that their columns can be joined.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/store/node_parts.h"

namespace lvtext {

/// The records that the rows of a node represent; the node itself if it has its own rows.
NodeRows rows_of(const Graph& graph, const std::string& node);

/// The records that the rows of these nodes, joined, represent; none for nodes with their own rows.
std::optional<NodeRows> rows_of_all(const Graph& graph, const std::vector<NodePart>& parts);

/// Plan of joining the columns of several nodes.
struct JoinedRows {
  /// By part: it has the parent records of the other parts' rows, so that its rows are selected by
  /// their parents (Dataset::join()).
  std::vector<bool> of_parents;
  /// Two parts with rows of different records, which cannot be joined.
  std::optional<std::pair<size_t, size_t>> unjoinable = {};
};
JoinedRows joined_rows(const Graph& graph, const std::vector<NodePart>& parts);

}  // namespace lvtext
