#include "evaluators/diversity/diversity_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_diversity(Registries& registries) {
  add_evaluator<DiversityEvaluator, DiversityOptions>(
      registries, "diversity",
      "Distinct n-grams, unique sentences, overlap with the training set, mean length",
      {"Li, Galley, Brockett, Gao and Dolan 2016", "https://aclanthology.org/N16-1014"});
}

}  // namespace lvtext
