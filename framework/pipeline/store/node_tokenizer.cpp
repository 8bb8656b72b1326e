#include "framework/pipeline/store/node_tokenizer.h"

#include "framework/core/base/error.h"
#include "framework/pipeline/store/finished_data.h"

namespace lvtext {
namespace {

/// The keys and nodes of the value of an input: one of each candidate of a selection.
std::map<std::string, std::string> nodes_by_input(const std::string& input_key,
                                                  const NodePart& filling) {
  if (filling.among.empty()) return {{input_key, filling.node}};
  std::map<std::string, std::string> nodes;
  for (const CandidateNode& candidate : filling.among) {
    nodes[candidate_input(input_key, candidate.key)] = candidate.node;
  }
  return nodes;
}

}  // namespace

std::optional<TokenizerInput> tokenizer_input(
    const std::map<std::string, std::string>& inputs,
    const std::function<bool(const std::string& input_key)>& is_pack) {
  if (inputs.contains("tokenizer")) return TokenizerInput{"tokenizer"};
  if (inputs.contains("train")) {
    // Vectors of another model may precede the text that they are joined with.
    for (const auto& [input_key, input] : inputs) {
      const bool is_read = input_key == "train" || input_key.starts_with("train+");
      if (is_read && is_pack(input_key)) return TokenizerInput{input_key, false};
    }
    return TokenizerInput{"train", false};
  }
  // The output of inference uses the tokenizer of its model or, without a model, of its text.
  std::optional<TokenizerInput> of_text;
  for (const auto& [input_key, input] : inputs) {
    if (!input_key.ends_with(kTokenizerOf)) continue;
    const bool of_model = input_key.starts_with("model.") || input_key.starts_with("model@");
    if (of_model) return TokenizerInput{input_key};
    if (!of_text) of_text = TokenizerInput{input_key};
  }
  return of_text;
}

std::optional<std::string> find_tokenizer(const Graph& graph, const std::string& node) {
  const auto& inputs = graph.at(node).inputs;
  const auto found = tokenizer_input(inputs, [&](const std::string& input_key) {
    return graph.at(inputs.at(input_key)).kind == NodeKind::kPack;
  });
  if (!found) return std::nullopt;
  const std::string& input = inputs.at(found->key);
  return found->is_tokenizer ? input : find_tokenizer(graph, input);
}

std::string tokenizer_of(const Graph& graph, const std::string& node) {
  const auto found = find_tokenizer(graph, node);
  LVT_ASSERT(found, "the node '" + node + "' has no tokenizer");
  return *found;
}

void add_tokenizers(const Graph& graph, GraphNode& node, const std::string& input_key,
                    const NodePart& filling) {
  for (const auto& [key, value] : nodes_by_input(input_key, filling)) {
    if (const auto tokenizer = find_tokenizer(graph, value)) {
      node.inputs[key + kTokenizerOf] = *tokenizer;
    }
  }
}

void add_records(const Graph& graph, GraphNode& node, const std::string& input_key,
                 const NodePart& filling) {
  for (const auto& [key, value] : nodes_by_input(input_key, filling)) {
    const GraphNode& read = graph.at(value);
    const auto source = read.inputs.find("source");
    // Nodes without rows of records have texts of their own, and so do columns of records.
    const bool is_split = read.kind == NodeKind::kPack && read.rows && source != read.inputs.end();
    if (is_split && read.component != kColumn) node.inputs[key + kRecordsOf] = source->second;
  }
}

}  // namespace lvtext
