// The variational autoencoder of sentences (Bowman et al. 2016).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/model/capabilities.h"
#include "framework/model/model_inputs.h"
#include "framework/model/trainable.h"
#include "models/sentence_encoder.h"
#include "models/vae/bag_of_words.h"
#include "models/vae/vae_options.h"
#include "models/writes_sentences.h"

namespace lvtext {

/// Weight of the KL term after `updates` updates, in the units that the options are written in.
double kl_weight(const AnnealingOptions& options, double updates);

/// One phase "vae" with the terms "rec", "kl" (annealed, 1 in the validation
/// objective) and, if it has a weight, "bow"; nats per sentence. The posterior is sampled in
/// training; validation uses its mean.
class Vae : public Trainable, public Encodes, public SamplesPrior, public WritesSentences {
 public:
  Vae(const VaeOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::vector<Warning> warnings(const TrainingMeans& means) const override;
  static constexpr int kRevision = 1;
  int revision() const override { return kRevision; }

  int64_t latent_size() const override { return latent_size_; }
  at::Tensor encode(const Tokens& sentences) override;
  at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor& example_ids,
                            const NoiseKey& key) override;
  std::optional<at::Tensor> posterior_kl(const Tokens& sentences) override;
  /// N(0, I).
  at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key) override;

 private:
  struct Posterior {
    at::Tensor mean, logvar;  // [B, Z]
  };
  Posterior posterior(const Tokens& sentences) const;

  AnnealingOptions annealing_;
  double bow_weight_;
  int64_t latent_size_;
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<SentenceEncoder> encoder_;
  std::shared_ptr<Linear> to_mean_, to_logvar_;
  std::shared_ptr<BagOfWords> bag_of_words_;
};

}  // namespace lvtext
