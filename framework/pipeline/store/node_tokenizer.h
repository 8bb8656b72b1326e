// The tokenizer and the records of a node's texts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/store/node_parts.h"

namespace lvtext {

/// Suffix of an input's key: the tokenizer of its value.
inline constexpr const char* kTokenizerOf = ".tokenizer";

/// The input that leads to the tokenizer of a node's texts.
struct TokenizerInput {
  std::string key;
  bool is_tokenizer = true;  ///< false: a node whose texts have the same tokenizer
};
/// Finds it among the `inputs` of a node; `is_pack` returns whether the value of an input is a
/// packed dataset. None for results that were computed from neither texts nor models.
std::optional<TokenizerInput> tokenizer_input(
    const std::map<std::string, std::string>& inputs,
    const std::function<bool(const std::string& input_key)>& is_pack);

/// The node with the tokenizer of a node's texts, or of the training data of a model; none for
/// results that were computed from neither.
std::optional<std::string> find_tokenizer(const Graph& graph, const std::string& node);
/// As above, for nodes that have one.
std::string tokenizer_of(const Graph& graph, const std::string& node);

/// Adds the tokenizers of the value of an input, if there are any, to a node's inputs.
void add_tokenizers(const Graph& graph, GraphNode& node, const std::string& input_key,
                    const NodePart& filling);

/// Suffix of an input's key: the records whose texts are the lines of its value.
inline constexpr const char* kRecordsOf = ".records";

/// Adds the records of the value of an input to a node's inputs, if it is a split that has one row
/// per record.
void add_records(const Graph& graph, GraphNode& node, const std::string& input_key,
                 const NodePart& filling);

}  // namespace lvtext
