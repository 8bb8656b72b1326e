// Variational autoencoder of sentences (Bowman et al. 2016).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/sentence_model.h"
#include "models/vae/bag_of_words.h"
#include "models/vae/vae_options.h"

namespace lvtext {

/// Weight of the KL term after `updates` updates, in the units of the options.
double kl_weight(const AnnealingOptions& options, double updates);

/// One phase "vae" with the terms "rec", "kl" (annealed; weight 1 in the validation objective) and,
/// if its weight is positive, "bow"; nats per sentence: E[-log p(x | z)] + beta_t KL(q(z | x) ||
/// N(0, I)). The posterior is sampled in training; validation uses its mean.
class Vae : public SentenceModel {
 public:
  Vae(const VaeOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::vector<Warning> warnings(const TrainingMeans& means) const override;
  static constexpr int kRevision = 2;

  std::optional<at::Tensor> posterior_kl(const Tokens& sentences) override;

 private:
  AnnealingOptions annealing_;
  double bow_weight_;
  std::shared_ptr<BagOfWords> bag_of_words_;  // null without a weight
};

}  // namespace lvtext
