// Nodes that score: an evaluator applied to what a row has produced.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/graph/graph.h"
#include "framework/model/registries.h"

namespace lvtext {

/// `inputs`: "tokenizer" and, as the evaluator needs them, "model", "test", "train", "samples",
/// "reconstructions", "language_model", "encoder" with its "words". File: scores.jsonl.
std::string add_score(Graph& graph, const Registries& registries, const std::string& name,
                      const std::string& evaluator, const Node& options,
                      std::map<std::string, std::string> inputs);

/// The scores of a finished score node, in the evaluator's order, rows included.
std::vector<Score> read_scores(const std::filesystem::path& folder);

}  // namespace lvtext
