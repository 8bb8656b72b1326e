#include "framework/pipeline/nodes/node_tokenizer.h"

#include <algorithm>

#include "framework/core/base/error.h"

namespace lvtext {

std::optional<std::string> find_tokenizer(const Graph& graph, const std::string& node) {
  const auto& inputs = graph.at(node).inputs;
  if (const auto found = inputs.find("tokenizer"); found != inputs.end()) return found->second;
  if (const auto data = inputs.find("train"); data != inputs.end()) {
    // Vectors of another model may precede the text that they are joined with.
    for (const auto& [input_key, input] : inputs) {
      const bool is_read = input_key == "train" || input_key.starts_with("train+");
      if (is_read && graph.at(input).kind == NodeKind::kPack) return find_tokenizer(graph, input);
    }
    return find_tokenizer(graph, data->second);
  }
  // The output of inference uses the tokenizer of its model or, without a model, of its text.
  const auto model = std::find_if(inputs.begin(), inputs.end(), [](const auto& input) {
    const bool is_model = input.first.starts_with("model.") || input.first.starts_with("model@");
    return is_model && input.first.ends_with(kTokenizerOf);
  });
  if (model != inputs.end()) return model->second;
  const auto text = std::find_if(inputs.begin(), inputs.end(), [](const auto& input) {
    return input.first.ends_with(kTokenizerOf);
  });
  return text == inputs.end() ? std::nullopt : std::optional(text->second);
}

std::string tokenizer_of(const Graph& graph, const std::string& node) {
  const auto found = find_tokenizer(graph, node);
  LVT_ASSERT(found, "the node '" + node + "' has no tokenizer");
  return *found;
}

void add_tokenizers(const Graph& graph, GraphNode& node, const std::string& input_key,
                    const NodePart& filling) {
  if (filling.among.empty())
    node.inputs[input_key + kTokenizerOf] = tokenizer_of(graph, filling.node);
  for (const CandidateNode& candidate : filling.among) {
    node.inputs[candidate_input(input_key, candidate.key) + kTokenizerOf] =
        tokenizer_of(graph, candidate.node);
  }
}

}  // namespace lvtext
