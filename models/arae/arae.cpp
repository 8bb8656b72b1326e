#include "models/arae/arae.h"

#include <cmath>
#include <utility>

#include "framework/core/model/registration.h"
#include "framework/core/tensor/products.h"
#include "losses/adversarial.h"

namespace lvtext {
namespace {

constexpr const char* kCriticStream = "critic";

/// Standard deviation over the batch, averaged over units; a scalar.
at::Tensor spread(const at::Tensor& latents) {
  return at::std(latents.detach(), at::IntArrayRef{0}, /*unbiased=*/false).mean();
}

std::vector<int64_t> layers(int64_t first, const std::vector<int64_t>& hidden, int64_t last) {
  std::vector<int64_t> widths = {first};
  widths.insert(widths.end(), hidden.begin(), hidden.end());
  widths.push_back(last);
  return widths;
}

/// Standard deviation of the noise on latent vectors.
Schedule noise_schedule(const AraeOptions& options) {
  return [latent = options.latent, loop = options.loop](const TrainerState& state) {
    return latent.noise *
           std::pow(latent.decay.factor, noise_decays(latent, loop, state.scheduled(state.step)));
  };
}

AutoencoderLayout layout_of(const AraeOptions& options) {
  const SentenceWidths widths = widths_of(options, preset_widths(options.size));
  const SphereNoise noise = {options.latent.noise, noise_schedule(options)};
  return {.encoder = options.encoder,
          .decoder = options.decoder,
          .widths = widths,
          .shared_embedding = false,
          .latent = [size = widths.latent, noise](const ModuleScope& scope, int64_t state) {
            return std::make_unique<SphereLatent>(scope, state, size, noise);
          }};
}

}  // namespace

SentenceWidths preset_widths(AraeSize size) {
  if (size == AraeSize::kSmall) return {64, 64, 64, 16};
  if (size == AraeSize::kMatched) return {512, 1024, 1024, 128};
  return {300, 300, 300, 0};
}

const std::vector<EnumName<AraeSize>>& enum_names(AraeSize) {
  static const std::vector<EnumName<AraeSize>> names = {
      {"original", AraeSize::kOriginal, "all widths 300; z is the encoder's state"},
      {"matched", AraeSize::kMatched, "embedding 512, encoder and decoder 1024, latent 128"},
      {"small", AraeSize::kSmall, "embedding, encoder and decoder 64, latent 16"}};
  return names;
}

const std::vector<EnumName<CriticBound>>& enum_names(CriticBound) {
  static const std::vector<EnumName<CriticBound>> names = {
      {"clamp", CriticBound::kClamp, "parameter clamping to a small range (Arjovsky et al. 2017)"},
      {"gradient_penalty", CriticBound::kGradientPenalty,
       "penalty on deviations of the gradient norm from 1 (Gulrajani et al. 2017)"}};
  return names;
}

double noise_decays(const AraeLatentOptions& latent, const AraeLoopOptions& loop, double updates) {
  // The released code counts updates from 1 in every epoch and decays the noise after updates whose
  // count is a multiple of `every`.
  const auto epoch = static_cast<double>(loop.updates_per_epoch);
  const auto every = static_cast<double>(latent.decay.every);
  const double whole = std::floor(updates / epoch);
  return whole * std::floor((epoch + 1) / every) +
         std::floor((updates - whole * epoch + 1) / every);
}

int64_t adversarial_rounds(const AraeLoopOptions& loop, double updates) {
  const double epoch = 1 + std::floor(updates / static_cast<double>(loop.updates_per_epoch));
  int64_t rounds = loop.rounds;
  for (const int64_t raise : loop.raise_at) rounds += epoch >= static_cast<double>(raise) ? 1 : 0;
  return rounds;
}

Arae::Arae(const AraeOptions& options, const ModelInputs& inputs)
    : SentenceModel(layout_of(options), inputs), options_(options) {
  const ModuleScope scope(*this, {inputs.seed});
  const auto& g = options.generator;
  generator_ = scope.add<Mlp>(
      "generator", MlpLayout{.widths = layers(g.noise, g.hidden, latent_size()),
                             .normalized = std::vector<bool>(g.hidden.size(), g.batch_norm),
                             .deviation = 0.02});
  const auto& c = options.critic;
  std::vector<bool> normalized(c.hidden.size(), c.batch_norm);
  if (!normalized.empty()) normalized.front() = false;
  critic_ = scope.add<Mlp>("critic", MlpLayout{.widths = layers(latent_size(), c.hidden, 1),
                                               .negative_slope = c.negative_slope,
                                               .normalized = std::move(normalized),
                                               .deviation = 0.02});
}

std::vector<ParamGroup> Arae::groups() {
  ParamGroup critic = group("critic", {critic_});
  if (options_.critic.bound == CriticBound::kClamp) {
    // Clamped before the update, as in the released code, so the generator is trained against a
    // critic that may exceed the bound by one update.
    critic.project = {Constraint::kClamp, options_.critic.clamp, Constraint::kBefore};
  }
  auto groups = SentenceModel::groups();
  groups.push_back(std::move(critic));
  groups.push_back(group("generator", {generator_}));
  return groups;
}

std::vector<Phase> Arae::phases() const {
  const bool clamped = options_.critic.bound == CriticBound::kClamp;
  const auto term = [](const std::string& name, double weight, const char* statistic) {
    return LossTerm{.name = name,
                    .weight = weight,
                    .select_weight = 0,
                    .micro_batchable = statistic == nullptr,
                    .reason = statistic ? statistic : ""};
  };
  const char* normalizes = options_.generator.batch_norm || options_.critic.batch_norm
                               ? "batch normalization uses statistics of the whole batch"
                               : nullptr;
  Phase autoencoder{.name = "autoencoder",
                    .updates = {{"autoencoder", {"encoder", "decoder"}}},
                    .draws = {{"train", Draw::kNext}},
                    .terms = {{.name = "token_nll", .denominator = Denominator::kTargets}}};
  Phase generator{.name = "generator",
                  .updates = {{"generator", {"generator"}}},
                  .draws = {{kCriticStream, Draw::kSame}},
                  .terms = {term("score", 1, normalizes)}};
  if (clamped) {
    const char* measured = "its gradient is scaled by means over the whole batch";
    return {std::move(autoencoder),
            {.name = "critic",
             .updates = {{"critic", {"critic"}}, {"encoder", {"encoder"}}},
             .draws = {{kCriticStream, Draw::kNext}},
             .terms = {term("wasserstein", 1, measured)}},
            std::move(generator)};
  }
  return {std::move(autoencoder),
          {.name = "critic",
           .updates = {{"critic", {"critic"}}},
           .draws = {{kCriticStream, Draw::kNext}},
           .terms = {term("wasserstein", 1, normalizes),
                     term("penalty", options_.critic.penalty, normalizes)}},
          {.name = "encoder",
           .updates = {{"encoder", {"encoder"}}},
           .draws = {{kCriticStream, Draw::kNext}},
           .terms = {term("adv", options_.critic.encoder_weight, normalizes)}},
          std::move(generator)};
}

std::vector<StreamDecl> Arae::streams() const {
  return {{}, {.name = kCriticStream, .rows_of = "train"}};
}

StepPlan Arae::plan(const TrainerState& state, const NoiseKey&) const {
  const AraeLoopOptions& loop = options_.loop;
  StepPlan plan = {"autoencoder"};
  const int64_t rounds = adversarial_rounds(loop, state.scheduled(state.step));
  for (int64_t round = 0; round < rounds; ++round) {
    const int64_t encoder = options_.critic.bound == CriticBound::kGradientPenalty
                                ? loop.encoder.value_or(loop.critic)
                                : 0;
    for (int64_t i = 0; i < loop.critic; ++i) {
      plan.push_back("critic");
      const int64_t due = (i + 1) * encoder / loop.critic - i * encoder / loop.critic;
      plan.insert(plan.end(), due, "encoder");
    }
    for (int64_t i = 0; i < loop.generator; ++i) plan.push_back("generator");
  }
  return plan;
}

int64_t Arae::min_batch_size() const {
  return options_.generator.batch_norm || options_.critic.batch_norm ? 2 : 1;
}

Sums Arae::losses(const Phase& phase, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  if (phase.name == "autoencoder") return autoencoder_sums(batch, context);
  if (phase.name == "generator") return generator_sums(batch, context);
  if (phase.name == "encoder") return encoder_sums(batch, context);
  return options_.critic.bound == CriticBound::kClamp ? clamped_critic_sums(batch, context)
                                                      : penalized_critic_sums(batch, context);
}

Sums Arae::autoencoder_sums(const Batch& batch, StepContext& context) {
  const Posterior q = autoencoder().posterior(batch.tokens());
  context.log("latent_std", spread(q.mean));
  at::Tensor z = autoencoder().draw(q, batch, context);
  if (options_.critic.bound == CriticBound::kClamp) {
    z = context.gradient_hook(z, [&context](const at::Tensor& gradient) {
      context.store("latent_gradient", mean_row_norm(gradient));
      return gradient;
    });
  }
  return {autoencoder().reconstruction_sum(batch, z, context)};
}

Sums Arae::clamped_critic_sums(const Batch& batch, StepContext& context) {
  at::Tensor real = encode_mean(batch.tokens());
  if (context.training()) {  // validation has no gradients to scale
    const at::Tensor size = context.load("latent_gradient");
    real = context.gradient_hook(
        real, [size, weight = options_.critic.encoder_weight](const at::Tensor& gradient) {
          return latent_gradient(gradient, size, weight);
        });
  }
  return {scores(real, context).sum() - scores(generated(batch, context).detach(), context).sum()};
}

Sums Arae::penalized_critic_sums(const Batch& batch, StepContext& context) {
  const at::Tensor real = encode_mean(batch.tokens()).detach();
  const at::Tensor fake = generated(batch, context).detach();
  const at::Tensor distance = scores(real, context).sum() - scores(fake, context).sum();
  if (!context.training()) return {distance, at::zeros_like(distance)};
  const at::Tensor points = points_between(
      real, fake, uniform(context.noise("penalty"), batch.example_ids, {1}, real.options()));
  // The penalty is differentiated twice, which reduced-precision products do not support.
  const MixedPrecisionScope full(false);
  return {distance, gradient_penalty_sum(scores(points, context), points)};
}

Sums Arae::encoder_sums(const Batch& batch, StepContext& context) {
  return {-scores(encode_mean(batch.tokens()), context).sum()};
}

Sums Arae::generator_sums(const Batch& batch, StepContext& context) {
  const at::Tensor fake = generated(batch, context);
  context.log("spread", spread(fake));
  return {scores(fake, context).sum()};
}

at::Tensor Arae::encode_mean(const Tokens& sentences) const {
  return autoencoder().posterior(sentences).mean;
}

at::Tensor Arae::generated(const Batch& batch, StepContext& context) const {
  const at::Tensor noise = normal(context.noise("generator"), batch.example_ids,
                                  {options_.generator.noise}, autoencoder().options());
  return generator_->forward(noise, context.batch_norm());
}

at::Tensor Arae::scores(const at::Tensor& latents, StepContext& context) const {
  return critic_->forward(latents, context.batch_norm()).squeeze(1);
}

std::vector<Warning> Arae::warnings(const TrainingMeans& means) const {
  const auto generated = means.find("generator/spread");
  const auto encoded = means.find("autoencoder/latent_std");
  if (generated == means.end() || encoded == means.end()) return {};
  if (generated->second >= 0.1 * encoded->second) return {};
  return {{"generator_collapse",
           "generator collapse: the spread of generated latent vectors is " +
               std::to_string(std::lround(100 * generated->second / encoded->second)) +
               " % of that of encoded ones; lower "
               "train.optimizers.generator.lr, or raise the row's loop.critic"}};
}

at::Tensor Arae::sample_prior(const at::Tensor& example_ids, const NoiseKey& key) {
  at::NoGradGuard no_grad;
  return generator_->forward(
      normal(key, example_ids, {options_.generator.noise}, autoencoder().options()),
      BatchNormMode::kRunning);
}

void register_arae(Registries& registries) {
  add_model<Arae, AraeOptions>(
      registries, "arae", "Adversarially regularized autoencoder: the prior is a learned generator",
      {"Zhao, Kim, Zhang, Rush and LeCun 2018", "https://arxiv.org/abs/1706.04223"});
}

}  // namespace lvtext
