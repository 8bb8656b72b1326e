// Adversarial autoencoder of sentences (Makhzani et al. 2016; AAE-GAUSS, AAE-GAUSS-DET and AAE-SPH
// of Cifka et al. 2018).
#pragma once

#include <memory>
#include <vector>

#include "models/autoencoder/autoencoder_options.h"
#include "models/mlp.h"
#include "models/sentence_model.h"

namespace lvtext {

/// Options of the adversarial term and its discriminator.
struct AdversaryOptions {
  double weight = 20;
  std::vector<int64_t> hidden = {512};
  double negative_slope = 0;
  bool prior_noise = true;

  template <class V>
  void visit(V& v) {
    v.field("weight", weight,
            "weight of the adversarial term relative to the reconstruction term, in nats per "
            "sentence; 0: a plain autoencoder",
            at_least(0));
    v.field("hidden", hidden, "units of the discriminator's hidden layers", in_range(1, 65536));
    v.field("negative_slope", negative_slope, "slope of the discriminator's leaky ReLU; 0: ReLU",
            in_range(0, 1));
    v.field("prior_noise", prior_noise,
            "sphere: add the training noise of latent vectors to prior samples too, so that both "
            "have the same norm distribution");
  }
};

struct AaeOptions : AutoencoderOptions {
  AdversaryOptions adversary;
  double logvar_l1 = 0;

  template <class V>
  void visit(V& v) {
    AutoencoderOptions::visit(v);
    v.field("adversary", adversary, "discriminator between latent vectors and prior samples");
    v.field("logvar_l1", logvar_l1,
            "gauss: weight of the L1 penalty on the posterior's log variance, which otherwise "
            "decreases without bound",
            at_least(0));
    v.check(latent.kind == LatentKind::kGauss || logvar_l1 == 0,
            "logvar_l1 requires latent.kind gauss");
    v.check(!mean_over,
            "mean_over is an option of autoencoder; the weight of the adversary is relative to a "
            "mean over sentences");
  }
};

/// A sentence autoencoder with a discriminator D(z) between its latent vectors and prior samples.
/// Phase "autoencoder": as Autoencoder, plus the term "adv", -log D(z), with the discriminator
/// fixed (and "logvar_l1" if its weight is positive); nats per sentence. Phase "discriminator": its
/// cross entropy on the same latent vectors, computed before the autoencoder's update, and equally
/// many prior samples. With weight 0 the autoencoder's updates are bit-identical to those of
/// Autoencoder.
class Aae : public SentenceModel {
 public:
  /// `deletion`: probability of deleting a token of the encoder's input in training.
  Aae(const AaeOptions& options, const ModelInputs& inputs, double deletion = 0);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::vector<Warning> warnings(const TrainingMeans& means) const override;
  static constexpr int kRevision = 3;

 private:
  Sums autoencoder_sums(const Batch& batch, StepContext& context);
  Sums discriminator_sums(const Batch& batch, StepContext& context);
  Tokens encoder_input(const Batch& batch, StepContext& context) const;
  at::Tensor logits(const at::Tensor& z, StepContext& context) const;  // [B, Z] -> [B]
  at::Tensor prior_draws(const Batch& batch, StepContext& context);

  AdversaryOptions adversary_;
  AutoencoderLatentOptions latent_;
  double logvar_l1_, deletion_;
  std::shared_ptr<Mlp> discriminator_;
};

}  // namespace lvtext
