// The tokenizer of a node's text.
#pragma once

#include <optional>
#include <string>

#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/node_parts.h"

namespace lvtext {

/// The node with the tokenizer of a node's texts, or of the training data of a model; none for
/// results that were computed from neither.
std::optional<std::string> find_tokenizer(const Graph& graph, const std::string& node);
/// As above, for nodes that have one.
std::string tokenizer_of(const Graph& graph, const std::string& node);

/// Suffix of an input's key: the tokenizer of its value.
inline constexpr const char* kTokenizerOf = ".tokenizer";

/// Adds the tokenizers of the value of an input to a node's inputs.
void add_tokenizers(const Graph& graph, GraphNode& node, const std::string& input_key,
                    const NodePart& filling);

}  // namespace lvtext
