#include "models/daae/daae.h"

#include "framework/core/model/registration.h"

namespace lvtext {

void register_daae(Registries& registries) {
  add_model<Daae, DaaeOptions>(
      registries, "daae", "Denoising adversarial autoencoder: input tokens are deleted at random",
      {"Shen, Mueller, Barzilay and Jaakkola 2020", "https://arxiv.org/abs/1905.12777"});
}

}  // namespace lvtext
