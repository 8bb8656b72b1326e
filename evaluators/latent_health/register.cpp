#include "evaluators/latent_health/latent_health_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_latent_health(Registries& registries) {
  add_evaluator<LatentHealthEvaluator, LatentHealthOptions>(
      registries, "latent_health", "Active units, radius and KL of the codes of the test set",
      {"Burda, Grosse and Salakhutdinov 2016", "https://arxiv.org/abs/1509.00519"});
}

}  // namespace lvtext
