// Nodes that run a component at once: evaluators and inference.
#pragma once

#include <string>

#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/filled_inputs.h"

namespace lvtext {

// A node with an input at kAllCheckpoints does its work once for each checkpoint that the training
// keeps, and leaves its files in a folder `step-N` for each of them (part_folder()); inputs at the
// same checkpoint go together. It throws ConfigError where the training keeps none.

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

/// Which sentences of a text: of the first `at_most` (0: of all) those from one share to another.
struct SentenceRange {
  int64_t at_most = 0;
  double from_share = 0, to_share = 1;
};
/// Adds some sentences of a text as a text of their own. Files: text.txt, dataset.safetensors.
std::string add_sentences(Graph& graph, const std::string& name, const std::string& text,
                          const SentenceRange& range);

}  // namespace lvtext
