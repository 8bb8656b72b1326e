// The language model of a metric: trained here on a model's samples or on other real text.
#pragma once

#include <string>

#include "framework/graph/graph.h"
#include "framework/model/registries.h"
#include "framework/options/options.h"

namespace lvtext {

/// `lm: {model: rnn_lm, embedding: 128, train: {stop: 8e}}`.
struct LmBlock {
  std::string model = "rnn_lm";
  Node train = Node::mapping({});
  Node own = Node::mapping({});  ///< the model's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("model", model, "a model that scores text without a code (`lvtext list models`)",
            not_empty());
    v.field("train", train, "how it is trained");
  }
};

/// Checks names and options; every mistake goes to the errors.
void check_lm(const Node& lm, const Registries& registries, Errors& errors,
              const std::string& path);

/// What a language model reads, by the names of pack nodes.
struct LmText {
  std::string train;
  std::string valid;
  int64_t sentences = 0;  ///< expected of `train` where it is not there yet; 0: not known
};

/// Adds its training. It trains as the recipe does (`train`), but for at most 30 epochs and 3
/// validations without gain, unless the block says otherwise. `registries` must outlive the graph.
std::string add_lm(Graph& graph, const Registries& registries, const std::string& name,
                   const LmBlock& block, const Node& train, int64_t seed, const LmText& text,
                   const std::string& config);

}  // namespace lvtext
