#include "framework/pipeline/plan/resolver_context.h"

#include <algorithm>
#include <cstdlib>

#include "framework/pipeline/check/row_values.h"
#include "framework/pipeline/nodes/joined_rows.h"

namespace lvtext {

bool keeps_checkpoints(const CheckedRow& row) {
  if (!row.entry || !row.entry->is_trained() || !row.entry->train.keep.checkpoints) return false;
  return std::any_of(row.generation.begin(), row.generation.end(),
                     [](const auto& each) { return each.second->at_checkpoints; });
}

bool reads_checkpoints(const FilledInputs& inputs, const FilledScoreInputs& scores,
                       const Graph& graph) {
  for (const auto& [input, parts] : inputs) {
    for (const NodePart& part : parts) {
      if (part.part == kAllCheckpoints) return true;
    }
  }
  for (const auto& [input, filled] : scores) {
    if (filled.pools_checkpoints) continue;
    for (const auto& metric : filled.scores) {
      for (const ScoreReference& score : metric) {
        if (!graph.at(score.node.representative()).checkpoints.empty()) return true;
      }
    }
  }
  return false;
}

const CheckedEntry& ResolverContext::entry(const std::string& id) const {
  const CheckedEntry* found = find_entry(recipe.entries, id);
  LVT_ASSERT(found, "a reference that was not checked: " + id);
  return *found;
}

void ResolverContext::refuse(const std::string& id, const std::string& problem,
                             const std::string& hint) const {
  const Node::Entry* written =
      written_entry(recipe.recipe, {"artifacts", "models", "rows", "evaluate", "select"}, id);
  Errors errors;
  errors.add(written ? written->key_location : SourceLocation{}, problem, hint);
  errors.throw_if_any();
  std::abort();
}

std::string ResolverContext::located(const std::string& id,
                                     const std::function<std::string()>& add) const {
  try {
    return add();
  } catch (const ConfigError& error) {
    refuse(id, error.what(), "");
  }
}

std::string ResolverContext::shown_rows(const NodePart& part) const {
  const std::string& node = part.representative();
  const NodeRows rows = rows_of(graph, node);
  for (const auto& [id, nodes] : data) {
    if (nodes.source != rows.source) continue;
    const std::string split = id + "." + rows.split;
    const auto pack = nodes.packs.find(rows.split);
    const bool is_split = pack != nodes.packs.end() && pack->second == node;
    return is_split ? split : shown(node) + " (rows of " + split + ")";
  }
  return shown(node) + " (its own rows)";
}

void ResolverContext::check_joined(const std::string& owner,
                                   const std::vector<NodePart>& parts) const {
  const JoinedRows joined = joined_rows(graph, parts);
  if (!joined.unjoinable) return;
  const auto& [first, second] = *joined.unjoinable;
  refuse(owner,
         owner + " joins columns of different records: " + shown_rows(parts[first]) + " and " +
             shown_rows(parts[second]),
         "columns can be joined if one is derived from the rows or records of the other");
}

}  // namespace lvtext
