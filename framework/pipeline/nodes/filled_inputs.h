// Values of the inputs of a component: nodes, and scores of nodes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/store/node_parts.h"

namespace lvtext {

/// Nodes that fill a component's inputs, by input; several for an input that takes many.
using FilledInputs = std::map<std::string, std::vector<NodePart>>;

/// A score of a node, or of the node chosen among rows. `score`: its id; empty: the node's first.
/// `line`: index of the row, for a node with one score per row.
struct ScoreReference {
  NodePart node;
  std::string score = {};
  std::optional<int64_t> line = {};
  /// For pooled scores at each kept checkpoint: the period of the checkpoints; set when the node is
  /// added.
  std::string period = {};
};
/// Values of an input that takes scores. The ids are for messages and not part of an identity.
struct FilledScores {
  /// Ids of the rows, or of selects in place of rows; a single one for metrics of one row.
  std::vector<std::string> lines = {};
  std::vector<std::string> metrics = {};                 ///< ids of the metrics
  std::vector<std::vector<ScoreReference>> scores = {};  ///< [metric][line]
  /// For rows that are scored at each kept checkpoint. True: each checkpoint is a separate line
  /// named "row@step". False: the node that reads the scores runs once per checkpoint.
  bool pools_checkpoints = false;
};
using FilledScoreInputs = std::map<std::string, FilledScores>;

}  // namespace lvtext
