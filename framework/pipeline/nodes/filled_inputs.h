// What fills the inputs of a component: nodes, and scores of nodes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/nodes/node_parts.h"

namespace lvtext {

/// What fills a component's inputs, by the inputs' names; several where an input takes many.
using FilledInputs = std::map<std::string, std::vector<NodePart>>;

/// A score of a node, or of the one that a choice among rows chose: `score` is its id, empty for
/// the node's first, `line` the row's index where the node has one score for each row.
struct ScoreReference {
  NodePart node;
  std::string score = {};
  std::optional<int64_t> line = {};
  /// Of scores at each kept checkpoint that are pooled: how often the training keeps one; set when
  /// the node is added.
  std::string period = {};
};
/// What fills an input that takes scores. The ids are for messages and no part of an identity.
struct FilledScores {
  /// Ids of the rows, or of the choices that stand for one; one where the metrics are of one row.
  std::vector<std::string> lines = {};
  std::vector<std::string> metrics = {};                 ///< ids of the metrics
  std::vector<std::vector<ScoreReference>> scores = {};  ///< [metric][line]
  /// Of rows that are scored at each kept checkpoint: each checkpoint is a line of its own, named
  /// "row@step". Else the node that reads them computes once per checkpoint.
  bool pools_checkpoints = false;
};
using FilledScoreInputs = std::map<std::string, FilledScores>;

}  // namespace lvtext
