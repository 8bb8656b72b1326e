#include "models/aae/aae.h"

#include <cmath>
#include <utility>

#include "framework/core/model/registration.h"
#include "losses/adversarial.h"
#include "losses/sphere.h"
#include "models/aae/token_deletion.h"

namespace lvtext {

Aae::Aae(const AaeOptions& options, const ModelInputs& inputs, double deletion)
    : SentenceModel(autoencoder_layout(options), inputs),
      adversary_(options.adversary),
      latent_(options.latent),
      logvar_l1_(options.logvar_l1),
      deletion_(deletion) {
  MlpLayout layout{.widths = {latent_size()}, .negative_slope = adversary_.negative_slope};
  layout.widths.insert(layout.widths.end(), adversary_.hidden.begin(), adversary_.hidden.end());
  layout.widths.push_back(1);
  discriminator_ = ModuleScope(*this, {inputs.seed}).add<Mlp>("discriminator", layout);
}

std::vector<ParamGroup> Aae::groups() {
  auto groups = SentenceModel::groups();
  groups.push_back(group("discriminator", {discriminator_}));
  return groups;
}

std::vector<Phase> Aae::phases() const {
  // Adversarial terms are not comparable over time, so only "rec" is used for model selection.
  Phase autoencoder{
      .name = "autoencoder",
      .updates = {{"default", autoencoder_groups()}},
      .draws = {{}},
      .terms = {{.name = "rec"}, {.name = "adv", .weight = adversary_.weight, .select_weight = 0}}};
  if (logvar_l1_ > 0) {
    autoencoder.terms.push_back({.name = "logvar_l1", .weight = logvar_l1_, .select_weight = 0});
  }
  return {std::move(autoencoder),
          {.name = "discriminator",
           .updates = {{"discriminator", {"discriminator"}}},
           .draws = {{"train", Draw::kSame}},
           .terms = {{.name = "loss", .select_weight = 0}}}};
}

Sums Aae::losses(const Phase& phase, const Batches& batches, StepContext& context) {
  return phase.name == "discriminator" ? discriminator_sums(batches.at(0), context)
                                       : autoencoder_sums(batches.at(0), context);
}

Sums Aae::autoencoder_sums(const Batch& batch, StepContext& context) {
  const Posterior q = autoencoder().posterior(encoder_input(batch, context));
  const at::Tensor z = autoencoder().draw(q, batch, context);
  context.log("latent_norm", z.detach().norm(2, 1).mean());
  context.store("latents", z);
  Sums sums = {autoencoder().reconstruction_sum(batch, z, context),
               non_saturating_sum(logits(z, context))};
  if (logvar_l1_ > 0) sums.push_back(q.logvar.abs().sum());
  return sums;
}

Sums Aae::discriminator_sums(const Batch& batch, StepContext& context) {
  const at::Tensor real = logits(prior_draws(batch, context), context);
  const at::Tensor fake = logits(context.load("latents"), context);
  context.log("accuracy", discriminator_accuracy(real.detach(), fake.detach()));
  return {discriminator_sum(real, fake)};
}

Tokens Aae::encoder_input(const Batch& batch, StepContext& context) const {
  if (!context.training() || deletion_ == 0) return batch.tokens();
  return delete_tokens(batch.tokens(), deletion_, context.noise("deletion"), batch.example_ids);
}

at::Tensor Aae::logits(const at::Tensor& z, StepContext& context) const {
  return discriminator_->forward(z, context.batch_norm()).squeeze(1);
}

at::Tensor Aae::prior_draws(const Batch& batch, StepContext& context) {
  at::Tensor z = sample_prior(batch.example_ids, context.noise("prior"));
  if (!context.training() || latent_.noise == 0 || !adversary_.prior_noise) return z;
  return add_noise(
      z, context.value(noise_schedule(latent_)),
      normal(context.noise("prior_noise"), batch.example_ids, {latent_size()}, z.options()));
}

std::vector<Warning> Aae::warnings(const TrainingMeans& means) const {
  const auto accuracy = means.find("discriminator/accuracy");
  if (accuracy == means.end() || accuracy->second < 0.95) return {};
  return {{"discriminator_wins",
           "the discriminator separates latent vectors from prior samples (accuracy " +
               std::to_string(std::lround(100 * accuracy->second)) +
               " %), so samples will differ from reconstructions; raise adversary.weight or lower "
               "train.optimizers.discriminator.lr"}};
}

void register_aae(Registries& registries) {
  add_model<Aae, AaeOptions>(
      registries, "aae", "Adversarial autoencoder with a Gaussian or a spherical prior",
      {"Makhzani, Shlens, Jaitly, Goodfellow and Frey 2016", "https://arxiv.org/abs/1511.05644"});
}

}  // namespace lvtext
