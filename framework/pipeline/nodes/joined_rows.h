// Which nodes have rows that belong together, so that their columns can stand side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/node_parts.h"

namespace lvtext {

/// The records that the rows of a node stand for; of rows of its own the node itself.
NodeRows rows_of(const Graph& graph, const std::string& node);

/// The records that the rows of all of these stand for, joined; none of rows of their own.
std::optional<NodeRows> rows_of_all(const Graph& graph, const std::vector<NodePart>& parts);

/// How the columns of several nodes are joined.
struct JoinedRows {
  /// By part: it has the records that the rows of the others were taken from, so that its rows are
  /// taken by their parents (Dataset::join()).
  std::vector<bool> of_parents;
  /// Two parts whose rows belong to different records: the columns cannot be joined.
  std::optional<std::pair<size_t, size_t>> unjoinable = {};
};
JoinedRows joined_rows(const Graph& graph, const std::vector<NodePart>& parts);

}  // namespace lvtext
