// The language model of a metric: trained here on a model's samples or on other real text.
#pragma once

#include <string>

#include "framework/graph/graph.h"
#include "framework/model/registries.h"
#include "framework/nodes/data_nodes.h"
#include "framework/options/options.h"

namespace lvtext {

/// The text that a language model's weights are selected on. It changes the forward cross entropy
/// of collapsed models (Cifka et al. 2018 do not say which they took).
enum class LmValidation { kReal, kOwn };
const std::vector<EnumName<LmValidation>>& enum_names(LmValidation);
/// The share of its own text that kOwn holds out.
inline constexpr double kLmHeldOut = 0.05;

/// `lm: {model: rnn_lm, embedding: 128, train: {stop: 8e}}`.
struct LmBlock {
  std::string model = "rnn_lm";
  LmValidation validate_on = LmValidation::kReal;
  Node train = Node::mapping({});
  Node own = Node::mapping({});  ///< the model's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("model", model, "a model that scores text without a code (`lvtext list models`)",
            not_empty());
    v.field("validate_on", validate_on, "the text that its weights are selected on");
    v.field("train", train, "how it is trained");
  }
};

/// What its weights are selected on, for people; empty: the last ones count.
std::string validation_text(const LmBlock& block);

/// Checks names and options; every mistake goes to the errors.
void check_lm(const Node& lm, const Registries& registries, Errors& errors,
              const std::string& path);

/// What a language model is trained on.
struct LmText {
  std::string pack;       ///< name of a node
  int64_t sentences = 0;  ///< that the pack will hold; 0: not known before it is there
  int64_t at_most = 0;    ///< the first ones that are used; 0: all
};

/// Adds its training: for at most 30 epochs and 3 validations without gain, unless the block says
/// otherwise. Of the recipe's `train` it takes the device (shared_train()). `registries` must
/// outlive the graph.
std::string add_lm(Graph& graph, const Registries& registries, const std::string& name,
                   const LmBlock& block, const Node& train, int64_t seed, const LmText& text,
                   const DataNodes& data, const std::string& config);

}  // namespace lvtext
