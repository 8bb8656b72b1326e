// Graph nodes that select a kept checkpoint or a row by its scores.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/selection.h"
#include "framework/pipeline/store/node_parts.h"

namespace lvtext {

/// A candidate of a selection: its key and its score node, or a part of one.
struct ScoredCandidate {
  std::string key;
  NodePart scores;
};

/// Adds a node that chooses a kept checkpoint of a training. `scores`: node with an evaluation of
/// each of them; `score`: id of the evaluator's score to use; empty: the first. `seed` is part of
/// the node's name. The period of the checkpoints is part of its identity, since it determines the
/// candidates. File: choice.json.
std::string add_checkpoint_selection(Graph& graph, const std::string& name,
                                     const SelectionRule& rule, const std::string& scores,
                                     const std::string& score = "", int64_t seed = 0);

/// Adds a node that selects one of `candidates`, whose order breaks ties. Writes choice.json.
std::string add_selection(Graph& graph, const std::string& name, const SelectionRule& rule,
                          const std::vector<ScoredCandidate>& candidates,
                          const std::string& score = "", int64_t seed = 0);

}  // namespace lvtext
