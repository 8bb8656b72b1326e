#include "models/autoencoder/autoencoder.h"

#include "framework/core/model/registration.h"

namespace lvtext {

Autoencoder::Autoencoder(const AutoencoderOptions& options, const ModelInputs& inputs)
    : SentenceModel(autoencoder_layout(options), inputs),
      denominator_(options.mean_over == LossMean::kTokens ? Denominator::kTargets
                                                          : Denominator::kExamples) {}

std::vector<Phase> Autoencoder::phases() const {
  return {{.name = "autoencoder",
           .updates = {{"default", autoencoder_groups()}},
           .draws = {{}},
           .terms = {{.name = "rec", .denominator = denominator_}}}};
}

Sums Autoencoder::losses(const Phase&, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  const Posterior q = autoencoder().posterior(batch.tokens());
  const at::Tensor z = autoencoder().draw(q, batch, context);
  context.log("latent_norm", z.detach().norm(2, 1).mean());
  return {autoencoder().reconstruction_sum(batch, z, context)};
}

void register_autoencoder(Registries& registries) {
  add_model<Autoencoder, AutoencoderOptions>(
      registries, "autoencoder",
      "Sentence autoencoder with an unconstrained or a spherical latent vector",
      {"Cifka, Severyn, Alfonseca and Filippova 2018", "https://arxiv.org/abs/1804.07972"});
}

}  // namespace lvtext
