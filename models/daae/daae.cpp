#include "models/daae/daae.h"

#include "framework/model/registries.h"
#include "models/daae/token_deletion.h"

namespace lvtext {

Daae::Daae(const DaaeOptions& options, const ModelInputs& inputs)
    : Aae(options, inputs), deletion_(options.deletion) {}

Tokens Daae::encoder_input(const Batch& batch, StepContext& context) const {
  if (!context.training() || deletion_ == 0) return batch.tokens();
  return delete_tokens(batch.tokens(), deletion_, context.noise("deletion"), batch.example_ids);
}

void register_daae(Registries& registries) {
  add_model<Daae, DaaeOptions>(
      registries, "daae", "Adversarial autoencoder that reads sentences with tokens deleted",
      {"Shen, Mueller, Barzilay and Jaakkola 2020", "https://arxiv.org/abs/1905.12777"});
}

}  // namespace lvtext
