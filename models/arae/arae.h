// The adversarially regularized autoencoder of sentences (Zhao, Kim, Zhang, Rush and LeCun 2018): a
// unit-norm code whose prior is a generator, learned against a Wasserstein critic.
#pragma once

#include <memory>
#include <vector>

#include "models/arae/arae_options.h"
#include "models/mlp.h"
#include "models/sentence_model.h"

namespace lvtext {

/// Decays of the noise after `updates` updates, in the units that the options are written in.
double noise_decays(const AraeLatentOptions& latent, const AraeLoopOptions& loop, double updates);
/// Rounds of critic and generator after that many updates.
int64_t adversarial_rounds(const AraeLoopOptions& loop, double updates);

/// Phases: "autoencoder" with the term "token_nll", nats per token, on noisy codes; "critic" with
/// "wasserstein", mean score of codes minus that of generated ones (and "penalty"), whose gradient
/// also reaches the encoder: with a clamp in the same phase, turned around and brought to
/// `code_weight` times the size that the autoencoder's own gradient had; with a penalty in a phase
/// "encoder" of its own; "generator" with "score". Critic and generator learn from the sentences of
/// the stream "critic", which are those of "train" in an order of their own. The encoder has two
/// updates: as part of the autoencoder by the optimizer "autoencoder", and alone by "encoder", to
/// whom the critic's gradient comes. In the paper both are one SGD, which keeps no state.
class Arae : public SentenceModel {
 public:
  Arae(const AraeOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  StepPlan plan(const Progress& progress, const NoiseKey& key) const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::vector<Warning> warnings(const TrainingMeans& means) const override;
  int64_t min_batch_size() const override;
  static constexpr int kRevision = 3;

  /// What the generator makes of N(0, I).
  at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key) override;

 private:
  Sums autoencoder_sums(const Batch& batch, StepContext& context);
  Sums clamped_critic_sums(const Batch& batch, StepContext& context);
  Sums penalized_critic_sums(const Batch& batch, StepContext& context);
  Sums encoder_sums(const Batch& batch, StepContext& context);
  Sums generator_sums(const Batch& batch, StepContext& context);
  at::Tensor code(const Tokens& sentences) const;  // [B, Z], without noise, with graph
  at::Tensor generated(const Batch& batch, StepContext& context) const;    // [B, Z]
  at::Tensor scores(const at::Tensor& codes, StepContext& context) const;  // [B]

  AraeOptions options_;
  std::shared_ptr<Mlp> generator_, critic_;
};

}  // namespace lvtext
