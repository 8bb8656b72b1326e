#include "framework/pipeline/nodes/joined_rows.h"

namespace lvtext {
namespace {

/// True if the records of `rows` were selected from those of `others`.
bool are_taken_from(const Graph& graph, const NodeRows& rows, const NodeRows& others) {
  const auto& inputs = graph.at(rows.source).inputs;
  const auto parent = inputs.find("source");
  return parent != inputs.end() && parent->second == others.source && rows.split == others.split;
}

/// Returns the rows of a part; none if the candidates of a selection have different rows.
std::optional<NodeRows> rows_of(const Graph& graph, const NodePart& part) {
  NodeRows rows = rows_of(graph, part.representative());
  for (const CandidateNode& candidate : part.among) {
    if (rows_of(graph, candidate.node) != rows) return std::nullopt;
  }
  return rows;
}

}  // namespace

NodeRows rows_of(const Graph& graph, const std::string& node) {
  return graph.at(node).rows.value_or(NodeRows{node, ""});
}

std::optional<NodeRows> rows_of_all(const Graph& graph, const std::vector<NodePart>& parts) {
  const JoinedRows joined = joined_rows(graph, parts);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!joined.of_parents[i]) return rows_of(graph, parts[i]);
  }
  return std::nullopt;
}

JoinedRows joined_rows(const Graph& graph, const std::vector<NodePart>& parts) {
  std::vector<std::optional<NodeRows>> rows;
  for (const NodePart& part : parts) rows.push_back(rows_of(graph, part));
  // Join all parts to one whose records were selected from another part, otherwise to the first.
  size_t base = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const auto& other : rows) {
      if (rows[i] && other && are_taken_from(graph, *rows[i], *other)) base = i;
    }
  }
  JoinedRows joined{std::vector<bool>(parts.size(), false)};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i == base) continue;
    if (rows[base] && rows[i] && *rows[i] == *rows[base]) continue;
    if (rows[base] && rows[i] && are_taken_from(graph, *rows[base], *rows[i])) {
      joined.of_parents[i] = true;
    } else if (!joined.unjoinable) {
      joined.unjoinable = {base, i};
    }
  }
  return joined;
}

}  // namespace lvtext
