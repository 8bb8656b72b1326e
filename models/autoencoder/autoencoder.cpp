#include "models/autoencoder/autoencoder.h"

#include <cmath>

#include "framework/model/registries.h"
#include "framework/nn/module_scope.h"
#include "framework/tensor/products.h"
#include "losses/kl.h"
#include "losses/sphere.h"

namespace lvtext {

const std::vector<EnumName<LatentKind>>& enum_names(LatentKind) {
  static const std::vector<EnumName<LatentKind>> names = {
      {"gauss_det", LatentKind::kGaussDet, "any vector; prior N(0, I)"},
      {"gauss", LatentKind::kGauss,
       "a mean with a variance of its own, drawn from in training; prior N(0, I)"},
      {"sphere", LatentKind::kSphere, "unit vectors; uniform prior"}};
  return names;
}

Autoencoder::Autoencoder(const AutoencoderOptions& options, const ModelInputs& inputs)
    : latent_(options.latent) {
  const SentenceWidths widths = preset_widths(options.size);
  const ModuleScope scope(*this, {inputs.seed});
  latent_size_ = options.latent.size.value_or(widths.latent);
  embedding_ = scope.add<Embedding>("embedding", inputs.vocabulary,
                                    options.embedding.value_or(widths.embedding));
  encoder_ = scope.add<SentenceEncoder>(
      "encoder", options.encoder, options.encoder.hidden.value_or(widths.encoder), embedding_);
  to_latent_ = scope.add<Linear>("to_latent", encoder_->state_size(), latent_size_);
  if (latent_.kind == LatentKind::kGauss) {
    to_logvar_ = scope.add<Linear>("to_logvar", encoder_->state_size(), latent_size_);
  }
  if (latent_.noise > 0) noise_ = register_buffer("noise", at::full({}, latent_.noise));
  decoder_ = scope.add<SentenceDecoder>("decoder", options.decoder,
                                        options.decoder.hidden.value_or(widths.decoder), embedding_,
                                        latent_size_, inputs.vocabulary);
}

std::vector<ParamGroup> Autoencoder::groups() {
  return {group("embedding", {embedding_}), group("encoder", {encoder_, to_latent_, to_logvar_}),
          group("decoder", {decoder_})};
}

std::vector<Phase> Autoencoder::phases() const {
  return {{.name = "autoencoder",
           .updates = {{"default", {"embedding", "encoder", "decoder"}}},
           .draws = {{}},
           .terms = {{.name = "rec"}}}};
}

Schedule Autoencoder::noise_schedule() const {
  return [latent = latent_](const Progress& progress) {
    const double decays =
        std::floor(progress.scheduled(progress.step) / static_cast<double>(latent.decay.every));
    return latent.noise * std::pow(latent.decay.factor, decays);
  };
}

Sums Autoencoder::losses(const Phase&, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  const Posterior q = posterior(encoder_input(batch, context));
  return {reconstruction_sum(batch, code(q, batch, context), context)};
}

Tokens Autoencoder::encoder_input(const Batch& batch, StepContext&) const {
  return batch.tokens();
}

Autoencoder::Posterior Autoencoder::posterior(const Tokens& sentences) const {
  const at::Tensor state = encoder_->forward(sentences);
  // Near posterior collapse the KL is smaller than what rounded products would move it by.
  const MixedPrecisionScope full(!to_logvar_ && MixedPrecisionScope::active());
  const at::Tensor mean = to_latent_->forward(state);
  if (latent_.kind == LatentKind::kSphere) return {sphere_normalise(mean), {}};
  return {mean, to_logvar_ ? to_logvar_->forward(state) : at::Tensor()};
}

at::Tensor Autoencoder::code(const Posterior& posterior, const Batch& batch,
                             StepContext& context) const {
  at::Tensor z = posterior.mean;
  const bool drawn = posterior.logvar.defined() || latent_.noise > 0;
  if (context.training() && drawn) {
    const at::Tensor epsilon = normal(context.noise("posterior"), batch.example_ids, {latent_size_},
                                      z.options().requires_grad(false));
    if (posterior.logvar.defined()) {
      z = reparameterise(z, posterior.logvar, epsilon);
    } else {
      const at::Tensor deviation = context.value(noise_schedule());
      noise_.fill_(deviation);
      z = add_noise(z, deviation, epsilon);
    }
  }
  context.log("code_norm", z.detach().norm(2, 1).mean());
  return z;
}

at::Tensor Autoencoder::reconstruction_sum(const Batch& batch, const at::Tensor& code,
                                           StepContext& context) const {
  return decoder_->nll_sum(batch.tokens(), code, batch.example_ids, context);
}

at::Tensor Autoencoder::encode(const Tokens& sentences) {
  at::NoGradGuard no_grad;
  return posterior(sentences).mean;
}

at::Tensor Autoencoder::encode_sampled(const Tokens& sentences, const at::Tensor& example_ids,
                                       const NoiseKey& key) {
  at::NoGradGuard no_grad;
  const Posterior q = posterior(sentences);
  if (latent_.noise == 0 && !q.logvar.defined()) return q.mean;
  const at::Tensor epsilon = normal(key, example_ids, {latent_size_}, q.mean.options());
  return q.logvar.defined() ? reparameterise(q.mean, q.logvar, epsilon) : q.mean + noise_ * epsilon;
}

at::Tensor Autoencoder::sample_prior(const at::Tensor& example_ids, const NoiseKey& key) {
  const auto like = embedding_->weight().options().requires_grad(false);
  return latent_.kind == LatentKind::kSphere ? uniform_sphere(key, example_ids, latent_size_, like)
                                             : normal(key, example_ids, {latent_size_}, like);
}

void register_autoencoder(Registries& registries) {
  add_model<Autoencoder, AutoencoderOptions>(
      registries, "autoencoder", "Sentence autoencoder with a free or a spherical code",
      {"Cifka, Severyn, Alfonseca and Filippova 2018", "https://arxiv.org/abs/1804.07972"});
}

}  // namespace lvtext
