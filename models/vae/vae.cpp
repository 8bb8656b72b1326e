#include "models/vae/vae.h"

#include <cstdio>

#include "framework/core/model/registration.h"
#include "losses/annealing.h"
#include "losses/kl.h"

namespace lvtext {

const std::vector<EnumName<Annealing>>& enum_names(Annealing) {
  static const std::vector<EnumName<Annealing>> names = {
      {"linear", Annealing::kLinear, "min(1, t / steps)"},
      {"logistic", Annealing::kLogistic, "1 / (1 + exp(-k (t - center)))"},
      {"tanh", Annealing::kTanh, "(tanh((t - center) / scale) + 1) / 2"},
      {"epochs", Annealing::kEpochs, "min(1, 0.1 + t / (10 updates_per_epoch))"},
      {"none", Annealing::kNone, "always 1"}};
  return names;
}

double kl_weight(const AnnealingOptions& o, double updates) {
  switch (o.type) {
    case Annealing::kLinear: return linear_annealing(updates, static_cast<double>(o.steps));
    case Annealing::kLogistic: return logistic_annealing(updates, o.k, o.center.value_or(2500));
    case Annealing::kTanh: return tanh_annealing(updates, o.center.value_or(3500), o.scale);
    case Annealing::kEpochs:
      return epoch_annealing(updates, static_cast<double>(o.updates_per_epoch));
    case Annealing::kNone: break;
  }
  return 1;
}

namespace {

/// Number of coordinates of the means [B, Z] whose variance over the batch is above 0.01, a scalar
/// (Burda, Grosse and Salakhutdinov 2016, who use the variance over the data set).
at::Tensor active_units(const at::Tensor& means) {
  if (means.size(0) < 2) return at::zeros({}, means.options().requires_grad(false));
  return (means.detach().var(0) > 0.01).sum();
}

AutoencoderLayout layout_of(const VaeOptions& options) {
  const SentenceWidths widths = widths_of(options, preset_widths(options.size));
  return {.encoder = options.encoder,
          .decoder = options.decoder,
          .widths = widths,
          .latent = [size = widths.latent](const ModuleScope& scope, int64_t state) {
            return std::make_unique<GaussianLatent>(scope, state, size, "to_mean");
          }};
}

}  // namespace

Vae::Vae(const VaeOptions& options, const ModelInputs& inputs)
    : SentenceModel(layout_of(options), inputs),
      annealing_(options.annealing),
      bow_weight_(options.bag_of_words.weight) {
  if (bow_weight_ == 0) return;
  bag_of_words_ = ModuleScope(*this, {inputs.seed})
                      .add<BagOfWords>("bag_of_words", latent_size(), options.bag_of_words.hidden,
                                       inputs.vocabulary());
}

std::vector<ParamGroup> Vae::groups() {
  Modules encoder = autoencoder().encoder_layers();
  encoder.push_back(bag_of_words_);
  return {group("embedding", autoencoder().shared_layers()), group("encoder", encoder),
          group("decoder", autoencoder().decoder_layers())};
}

std::vector<Phase> Vae::phases() const {
  const Schedule annealed = [annealing = annealing_](const TrainerState& state) {
    return kl_weight(annealing, state.scheduled(state.step));
  };
  std::vector<LossTerm> terms = {{.name = "rec"}, {.name = "kl", .weight = annealed}};
  if (bag_of_words_) {
    // Selection uses the evidence lower bound, which does not include the bag-of-words loss.
    terms.push_back({.name = "bow", .weight = bow_weight_, .select_weight = 0});
  }
  return {{.name = "vae",
           .updates = {{"default", {"embedding", "encoder", "decoder"}}},
           .draws = {{}},
           .terms = std::move(terms)}};
}

Sums Vae::losses(const Phase&, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  const Posterior q = autoencoder().posterior(batch.tokens());
  const at::Tensor z = autoencoder().draw(q, batch, context);
  if (context.training()) context.log("active_units", active_units(q.mean));
  Sums sums = {autoencoder().reconstruction_sum(batch, z, context),
               gaussian_kl(q.mean, q.logvar).sum()};
  if (bag_of_words_) sums.push_back(bag_of_words_->nll_sum(batch.tokens(), z));
  return sums;
}

std::vector<Warning> Vae::warnings(const TrainingMeans& means) const {
  const auto kl = means.find("vae/kl");
  if (kl == means.end() || kl->second >= 0.1) return {};
  char nats[32];
  std::snprintf(nats, sizeof nats, "%.2g", kl->second);
  return {{"posterior_collapse", std::string("posterior collapse: KL is ") + nats +
                                     " nats, the decoder ignores z; raise decoder.word_dropout, or "
                                     "raise annealing.steps or train.stop"}};
}

std::optional<at::Tensor> Vae::posterior_kl(const Tokens& sentences) {
  const at::NoGradGuard no_grad;
  const Posterior q = autoencoder().posterior(sentences);
  return gaussian_kl(q.mean, q.logvar);
}

void register_vae(Registries& registries) {
  add_model<Vae, VaeOptions>(registries, "vae", "Variational autoencoder with a Gaussian posterior",
                             {"Bowman, Vilnis, Vinyals, Dai, Jozefowicz and Bengio 2016",
                              "https://aclanthology.org/K16-1002"});
}

}  // namespace lvtext
