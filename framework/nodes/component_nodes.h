// Nodes that run a component at once: evaluators and inference.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/graph/executor.h"
#include "framework/graph/graph.h"
#include "framework/inference/inference.h"
#include "framework/model/inputs.h"
#include "framework/model/registries.h"
#include "framework/nodes/node_parts.h"

namespace lvtext {

/// What fills a component's inputs, by the inputs' names; several where an input takes many.
using FilledInputs = std::map<std::string, std::vector<NodePart>>;

// A node with an input at kAllCheckpoints does its work once for each checkpoint that the training
// keeps, and leaves its files in a folder `step-N` for each of them (part_folder()); inputs at the
// same checkpoint go together. It throws ConfigError where the training keeps none.

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

/// Adds a node that scores. `registries` must outlive the graph. File: scores.jsonl.
std::string add_evaluation(Graph& graph, const Registries& registries, const std::string& name,
                           const Configured& evaluator, const FilledInputs& inputs,
                           const FilledScoreInputs& scores = {});

/// Adds a node that uses a model. `seed` is shown in its name. Files, of what it leaves: text.txt
/// with dataset.safetensors, tensors.safetensors.
std::string add_inference_node(Graph& graph, const Registries& registries, const std::string& name,
                               const Configured& component, const FilledInputs& inputs,
                               int64_t seed = 0);

/// Adds a node that fits a model. Files: those of a training's weights, as step 0.
std::string add_fit_node(Graph& graph, const Registries& registries, const std::string& name,
                         const Configured& fit, const FilledInputs& inputs, int64_t seed);

/// What fills the inputs of a component that no node runs, read from finished nodes; texts have
/// their lines as they were before any tokenizer. `step`: the checkpoint of what was computed at
/// each of them. Throws MissingError if one is not finished.
Inputs read_filled(const Graph& graph, const GraphStatus& status, const Registries& registries,
                   const std::vector<InputDecl>& declared, const FilledInputs& filled,
                   const FilledScoreInputs& scores = {},
                   std::optional<int64_t> step = std::nullopt);

/// Which sentences of a text: of the first `at_most` (0: of all) those from one share to another.
struct SentenceRange {
  int64_t at_most = 0;
  double from_share = 0, to_share = 1;
};
/// Adds some sentences of a text as a text of their own. Files: text.txt, dataset.safetensors.
std::string add_sentences(Graph& graph, const std::string& name, const std::string& text,
                          const SentenceRange& range);

/// The scores of a finished node, in the evaluator's order, rows included; `step`: of a kept
/// checkpoint, where each was scored.
std::vector<Score> read_scores(const std::filesystem::path& folder,
                               std::optional<int64_t> step = std::nullopt);
/// The tensors of a finished node.
std::map<std::string, at::Tensor> read_tensors(const std::filesystem::path& folder);

}  // namespace lvtext
