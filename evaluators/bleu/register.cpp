#include "evaluators/bleu/bleu_evaluator.h"
#include "framework/model/registries.h"

namespace lvtext {

void register_bleu(Registries& registries) {
  add_evaluator<BleuEvaluator, BleuOptions>(
      registries, "bleu", "BLEU of reconstructions against their inputs",
      {"Papineni, Roukos, Ward and Zhu 2002", "https://aclanthology.org/P02-1040"});
}

}  // namespace lvtext
