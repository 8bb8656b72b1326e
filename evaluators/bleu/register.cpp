#include "evaluators/bleu/bleu_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_bleu(Registries& registries) {
  add_evaluator<BleuEvaluator, BleuOptions>(
      registries, "bleu",
      "BLEU of a system's outputs (by default reconstructions) against references",
      {"Papineni, Roukos, Ward and Zhu 2002", "https://aclanthology.org/P02-1040"});
}

}  // namespace lvtext
