#include "unlikelihood_lm.h"

#include "framework/core/model/plugin.h"

namespace example {

void add_unlikelihood_lm(lvtext::Registries& registries) {
  lvtext::add_model<UnlikelihoodLm, UnlikelihoodLmOptions>(
      registries, "unlikelihood_lm",
      "Small recurrent language model trained by likelihood and unlikelihood in turn",
      {"Welleck, Kulikov, Roller, Dinan, Cho and Weston 2020", "https://arxiv.org/abs/1908.04319"});
}

}  // namespace example
