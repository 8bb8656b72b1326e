// Adversarially regularized autoencoder of sentences (Zhao, Kim, Zhang, Rush and LeCun 2018):
// latent vectors of unit norm whose prior is a generator, trained against a Wasserstein critic.
#pragma once

#include <memory>
#include <vector>

#include "models/arae/arae_options.h"
#include "models/mlp.h"
#include "models/sentence_model.h"

namespace lvtext {

/// Number of noise decays after `updates` updates, in the units of the options.
double noise_decays(const AraeLatentOptions& latent, const AraeLoopOptions& loop, double updates);
/// Rounds of critic and generator updates per step after `updates` updates.
int64_t adversarial_rounds(const AraeLoopOptions& loop, double updates);

/// Phases: "autoencoder" with the term "token_nll", nats per token, on noisy latent vectors;
/// "critic" with "wasserstein", the mean score of encoded minus that of generated latent vectors
/// (and "penalty"); "generator" with "score". The critic's gradient also updates the encoder: with
/// bound "clamp" in the phase "critic", reversed and scaled to `encoder_weight` times the norm of
/// the autoencoder's own gradient; with bound "gradient_penalty" in a separate phase "encoder".
/// Critic and generator are trained on the stream "critic", which has the examples of "train" in a
/// different order. The encoder is updated by two optimizers: "autoencoder", together with the
/// decoder, and "encoder", from the critic's gradient. In the paper both are the same stateless
/// SGD.
class Arae : public SentenceModel {
 public:
  Arae(const AraeOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  StepPlan plan(const TrainerState& state, const NoiseKey& key) const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::vector<Warning> warnings(const TrainingMeans& means) const override;
  int64_t min_batch_size() const override;
  static constexpr int kRevision = 4;

  /// Generator outputs for N(0, I) inputs.
  at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key) override;

 private:
  Sums autoencoder_sums(const Batch& batch, StepContext& context);
  Sums clamped_critic_sums(const Batch& batch, StepContext& context);
  Sums penalized_critic_sums(const Batch& batch, StepContext& context);
  Sums encoder_sums(const Batch& batch, StepContext& context);
  Sums generator_sums(const Batch& batch, StepContext& context);
  at::Tensor encode_mean(const Tokens& sentences) const;  // [B, Z], without noise, with graph
  at::Tensor generated(const Batch& batch, StepContext& context) const;      // [B, Z]
  at::Tensor scores(const at::Tensor& latents, StepContext& context) const;  // [B]

  AraeOptions options_;
  std::shared_ptr<Mlp> generator_, critic_;
};

}  // namespace lvtext
