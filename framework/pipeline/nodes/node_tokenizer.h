// Which tokenizer the text of a node was made by.
#pragma once

#include <string>

#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/node_parts.h"

namespace lvtext {

/// The node that holds the tokenizer of a node's text, or of the text that a model was trained on.
std::string tokenizer_of(const Graph& graph, const std::string& node);

/// Added to a slot's name: the tokenizer of what fills it.
inline constexpr const char* kTokenizerOf = ".tokenizer";

/// Adds the tokenizers of what fills a slot to a node's inputs.
void add_tokenizers(const Graph& graph, GraphNode& node, const std::string& input_key,
                    const NodePart& filling);

}  // namespace lvtext
