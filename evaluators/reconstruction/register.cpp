#include "evaluators/reconstruction/reconstruction_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_reconstruction(Registries& registries) {
  add_evaluator<ReconstructionEvaluator, ReconstructionOptions>(
      registries, "reconstruction", "NLL of the test set given its own posterior means",
      {"Cifka, Severyn, Alfonseca and Filippova 2018", "https://arxiv.org/abs/1804.07972"});
}

}  // namespace lvtext
