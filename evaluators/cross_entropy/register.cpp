#include "evaluators/cross_entropy/cross_entropy_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_cross_entropy(Registries& registries) {
  const PaperSource source = {"Cifka, Severyn, Alfonseca and Filippova 2018",
                              "https://arxiv.org/abs/1804.07972"};
  add_evaluator<ForwardCrossEntropy, CrossEntropyOptions>(
      registries, "forward_cross_entropy",
      "Cross entropy of the test set under a language model trained on the model's samples",
      source);
  add_evaluator<ReverseCrossEntropy, ReverseCrossEntropyOptions>(
      registries, "reverse_cross_entropy",
      "Cross entropy of the model's samples under a language model trained on real text", source);
}

}  // namespace lvtext
