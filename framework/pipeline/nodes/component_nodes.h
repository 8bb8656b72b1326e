// Nodes that run a component: evaluators, inference and fitted models.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/filled_inputs.h"

namespace lvtext {

struct Inferred;

/// A node of a component, with its options as JSON and without inputs and work.
GraphNode component_node(const Configured& configured, NodeKind kind, const std::string& name);

// A node with an input at kAllCheckpoints runs once for each checkpoint that the training keeps and
// writes its files to a folder `step-N` for each (part_folder()); all such inputs are read at the
// same checkpoint. The functions throw ConfigError if the training keeps none.

/// Adds a scoring node. `registries` must outlive the graph. File: scores.jsonl.
std::string add_evaluation(Graph& graph, const Registries& registries, const std::string& name,
                           const Configured& evaluator, const FilledInputs& inputs,
                           const FilledScoreInputs& scores = {});

/// Adds an inference node. `seed` is part of its name. Files, depending on its results: text.txt
/// and dataset.safetensors, tensors.safetensors.
std::string add_inference_node(Graph& graph, const Registries& registries, const std::string& name,
                               const Configured& component, const FilledInputs& inputs,
                               int64_t seed = 0);

/// Adds a node that fits a model. Files: weights like those of a training, at step 0.
std::string add_fit_node(Graph& graph, const Registries& registries, const std::string& name,
                         const Configured& fit, const FilledInputs& inputs, int64_t seed);

/// Writes the results of inference, as the files of an inference node. `parents`: the parents of
/// its rows (DatasetWriter::end_row()).
WrittenFiles write_inferred(const std::filesystem::path& folder, const Inferred& inferred,
                            const std::vector<int64_t>& parents = {});

/// A range of the sentences of a text: between two shares of the first `at_most` (0: all).
struct SentenceRange {
  int64_t at_most = 0;
  double from_share = 0, to_share = 1;
  bool decoded = false;  ///< with lines decoded from the token ids, instead of the text's own

  bool is_whole() const { return at_most == 0 && from_share == 0 && to_share == 1; }
};
/// Adds a node with a range of a text; a whole text keeps its rows (GraphNode::rows). Files:
/// text.txt, dataset.safetensors.
std::string add_sentences(Graph& graph, const std::string& name, const std::string& text,
                          const SentenceRange& range);

}  // namespace lvtext
