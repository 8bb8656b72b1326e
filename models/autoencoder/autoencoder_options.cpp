#include "models/autoencoder/autoencoder_options.h"

#include <cmath>

namespace lvtext {

const std::vector<EnumName<LatentKind>>& enum_names(LatentKind) {
  static const std::vector<EnumName<LatentKind>> names = {
      {"gauss_det", LatentKind::kGaussDet, "deterministic, unconstrained vectors; prior N(0, I)"},
      {"gauss", LatentKind::kGauss,
       "Gaussian posterior with learned variance, sampled in training; prior N(0, I)"},
      {"sphere", LatentKind::kSphere, "unit vectors; uniform prior on the sphere"},
      {"state", LatentKind::kState,
       "the encoder's last hidden state, without a projection; prior N(0, I)"}};
  return names;
}

const std::vector<EnumName<LossMean>>& enum_names(LossMean) {
  static const std::vector<EnumName<LossMean>> names = {
      {"sentences", LossMean::kSentences, "nats per sentence, EOS included"},
      {"tokens", LossMean::kTokens,
       "nats per token and EOS of the batch, as in ARAE's released code"}};
  return names;
}

Schedule noise_schedule(const AutoencoderLatentOptions& options) {
  return [noise = options.noise, decay = options.decay](const TrainerState& state) {
    const double decays =
        std::floor(state.scheduled(state.step) / static_cast<double>(decay.every));
    return noise * std::pow(decay.factor, decays);
  };
}

AutoencoderLayout autoencoder_layout(const AutoencoderOptions& options) {
  const SentenceWidths widths = widths_of(options, preset_widths(options.size));
  const auto latent = [latent = options.latent, size = widths.latent](
                          const ModuleScope& scope, int64_t state) -> std::unique_ptr<Latent> {
    switch (latent.kind) {
      case LatentKind::kGauss:
        return std::make_unique<GaussianLatent>(scope, state, size, "to_latent");
      case LatentKind::kSphere:
        return std::make_unique<SphereLatent>(scope, state, size,
                                              SphereNoise{latent.noise, noise_schedule(latent)});
      case LatentKind::kState: return std::make_unique<DeterministicLatent>(scope, state, 0);
      case LatentKind::kGaussDet: break;
    }
    return std::make_unique<DeterministicLatent>(scope, state, size);
  };
  return {.encoder = options.encoder,
          .decoder = options.decoder,
          .widths = widths,
          .shared_embedding = options.shared_embedding.value_or(true),
          .latent = latent};
}

}  // namespace lvtext
