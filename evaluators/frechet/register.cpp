#include "evaluators/frechet/frechet_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_frechet(Registries& registries) {
  add_evaluator<FrechetEvaluator, FrechetOptions>(
      registries, "frechet",
      "Fréchet distance between samples and test sentences, as vectors of a sentence encoder",
      {"Heusel, Ramsauer, Unterthiner, Nessler and Hochreiter 2017",
       "https://arxiv.org/abs/1706.08500"});
}

}  // namespace lvtext
