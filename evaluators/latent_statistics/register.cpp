#include "evaluators/latent_statistics/latent_statistics_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_latent_statistics(Registries& registries) {
  add_evaluator<LatentStatisticsEvaluator, LatentStatisticsOptions>(
      registries, "latent_statistics",
      "Active units, radius and KL of the latent vectors of the test set",
      {"Burda, Grosse and Salakhutdinov 2016", "https://arxiv.org/abs/1509.00519"});
}

}  // namespace lvtext
