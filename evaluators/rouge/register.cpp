#include "evaluators/rouge/rouge_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_rouge(Registries& registries) {
  add_evaluator<RougeEvaluator, RougeOptions>(
      registries, "rouge",
      "ROUGE of a system's outputs (by default reconstructions) against references",
      {"Lin 2004", "https://aclanthology.org/W04-1013"});
}

}  // namespace lvtext
