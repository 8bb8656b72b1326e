#include "models/vae/vae.h"

#include <cstdio>

#include "framework/model/registries.h"
#include "framework/nn/module_scope.h"
#include "framework/tensor/products.h"
#include "losses/annealing.h"
#include "losses/kl.h"

namespace lvtext {

const std::vector<EnumName<Annealing>>& enum_names(Annealing) {
  static const std::vector<EnumName<Annealing>> names = {
      {"linear", Annealing::kLinear, "min(1, t / steps)"},
      {"logistic", Annealing::kLogistic, "1 / (1 + exp(-k (t - centre)))"},
      {"tanh", Annealing::kTanh, "(tanh((t - centre) / scale) + 1) / 2"},
      {"epochs", Annealing::kEpochs, "min(1, 0.1 + t / (10 updates_per_epoch))"},
      {"none", Annealing::kNone, "always 1"}};
  return names;
}

double kl_weight(const AnnealingOptions& o, double updates) {
  switch (o.type) {
    case Annealing::kLinear: return linear_annealing(updates, static_cast<double>(o.steps));
    case Annealing::kLogistic: return logistic_annealing(updates, o.k, o.centre.value_or(2500));
    case Annealing::kTanh: return tanh_annealing(updates, o.centre.value_or(3500), o.scale);
    case Annealing::kEpochs:
      return epoch_annealing(updates, static_cast<double>(o.updates_per_epoch));
    case Annealing::kNone: break;
  }
  return 1;
}

namespace {

/// Coordinates of the means [B, Z] whose variance over the batch is above 0.01, a scalar (Burda,
/// Grosse and Salakhutdinov 2016, who take it over the data).
at::Tensor active_units(const at::Tensor& means) {
  if (means.size(0) < 2) return at::zeros({}, means.options().requires_grad(false));
  return (means.detach().var(0) > 0.01).sum();
}

}  // namespace

Vae::Vae(const VaeOptions& options, const ModelInputs& inputs)
    : annealing_(options.annealing), bow_weight_(options.bag_of_words.weight) {
  const SentenceWidths widths = preset_widths(options.size);
  const ModuleScope scope(*this, {inputs.seed});
  latent_size_ = options.latent.size.value_or(widths.latent);
  embedding_ = scope.add<Embedding>("embedding", inputs.vocabulary,
                                    options.embedding.value_or(widths.embedding));
  encoder_ = scope.add<SentenceEncoder>(
      "encoder", options.encoder, options.encoder.hidden.value_or(widths.encoder), embedding_);
  to_mean_ = scope.add<Linear>("to_mean", encoder_->state_size(), latent_size_);
  to_logvar_ = scope.add<Linear>("to_logvar", encoder_->state_size(), latent_size_);
  if (bow_weight_ > 0) {
    bag_of_words_ = scope.add<BagOfWords>("bag_of_words", latent_size_, options.bag_of_words.hidden,
                                          inputs.vocabulary);
  }
  decoder_ = scope.add<SentenceDecoder>("decoder", options.decoder,
                                        options.decoder.hidden.value_or(widths.decoder), embedding_,
                                        latent_size_, inputs.vocabulary);
}

std::vector<ParamGroup> Vae::groups() {
  return {group("embedding", {embedding_}),
          group("encoder", {encoder_, to_mean_, to_logvar_, bag_of_words_}),
          group("decoder", {decoder_})};
}

std::vector<Phase> Vae::phases() const {
  const Schedule annealed = [annealing = annealing_](const Progress& progress) {
    return kl_weight(annealing, progress.scheduled(progress.step));
  };
  std::vector<TermDecl> terms = {{.name = "rec"}, {.name = "kl", .weight = annealed}};
  if (bag_of_words_) {
    // Models are compared and chosen by the bound, which has no bag of words.
    terms.push_back({.name = "bow", .weight = bow_weight_, .select_weight = 0});
  }
  return {{.name = "vae",
           .updates = {{"default", {"embedding", "encoder", "decoder"}}},
           .draws = {{}},
           .terms = std::move(terms)}};
}

Sums Vae::losses(const Phase&, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  const Tokens sentences = batch.tokens();
  const Posterior q = posterior(sentences);
  at::Tensor z = q.mean;
  if (context.training()) {
    z = reparameterise(q.mean, q.logvar,
                       normal(context.noise("posterior"), batch.example_ids, {latent_size_},
                              z.options().requires_grad(false)));
  }
  if (context.training()) context.log("active_units", active_units(q.mean));
  Sums sums = {decoder_->nll_sum(sentences, z, batch.example_ids, context),
               gaussian_kl(q.mean, q.logvar).sum()};
  if (bag_of_words_) sums.push_back(bag_of_words_->nll_sum(sentences, z));
  return sums;
}

std::vector<Warning> Vae::warnings(const TrainingMeans& means) const {
  const auto kl = means.find("vae/kl");
  if (kl == means.end() || kl->second >= 0.1) return {};
  char nats[32];
  std::snprintf(nats, sizeof nats, "%.2g", kl->second);
  return {{"posterior_collapse",
           std::string("the code carries ") + nats +
               " nats, so the decoder writes without it; lower decoder.word_dropout.keep, or "
               "raise annealing.steps or train.stop"}};
}

Vae::Posterior Vae::posterior(const Tokens& sentences) const {
  const at::Tensor state = encoder_->forward(sentences);
  // Near posterior collapse the KL is smaller than what rounded products would move it by.
  const MixedPrecisionScope full(false);
  return {to_mean_->forward(state), to_logvar_->forward(state)};
}

at::Tensor Vae::encode(const Tokens& sentences) {
  at::NoGradGuard no_grad;
  return posterior(sentences).mean;
}

at::Tensor Vae::encode_sampled(const Tokens& sentences, const at::Tensor& example_ids,
                               const NoiseKey& key) {
  at::NoGradGuard no_grad;
  const Posterior q = posterior(sentences);
  return reparameterise(q.mean, q.logvar,
                        normal(key, example_ids, {latent_size_}, q.mean.options()));
}

std::optional<at::Tensor> Vae::posterior_kl(const Tokens& sentences) {
  at::NoGradGuard no_grad;
  const Posterior q = posterior(sentences);
  return gaussian_kl(q.mean, q.logvar);
}

at::Tensor Vae::sample_prior(const at::Tensor& example_ids, const NoiseKey& key) {
  return normal(key, example_ids, {latent_size_},
                embedding_->weight().options().requires_grad(false));
}

void register_vae(Registries& registries) {
  add_model<Vae, VaeOptions>(registries, "vae", "Variational autoencoder with a Gaussian posterior",
                             {"Bowman, Vilnis, Vinyals, Dai, Jozefowicz and Bengio 2016",
                              "https://aclanthology.org/K16-1002"});
}

}  // namespace lvtext
