// The adversarial autoencoder of sentences (Makhzani et al. 2016; AAE-GAUSS, AAE-GAUSS-DET and
// AAE-SPH of Cifka et al. 2018).
#pragma once

#include <memory>
#include <vector>

#include "models/autoencoder/autoencoder_options.h"
#include "models/mlp.h"
#include "models/sentence_model.h"

namespace lvtext {

/// The adversarial term and its discriminator.
struct AdversaryOptions {
  double weight = 20;
  std::vector<int64_t> hidden = {512};
  double leak = 0;
  bool prior_noise = true;

  template <class V>
  void visit(V& v) {
    v.field("weight", weight,
            "weight of the adversarial term beside nats per sentence; 0: a plain autoencoder",
            at_least(0));
    v.field("hidden", hidden, "units of the discriminator's hidden layers", in_range(1, 65536));
    v.field("leak", leak, "slope of its rectifiers below 0; 0: plain ones", in_range(0, 1));
    v.field(
        "prior_noise", prior_noise,
        "sphere: prior samples get the same noise as latent vectors, which else differ in norm");
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
            "gauss: weight of the sum of |log variance|, which else falls without limit",
            at_least(0));
    v.check(latent.kind == LatentKind::kGauss || logvar_l1 == 0,
            "logvar_l1 belongs to latent.kind gauss");
  }
};

/// A sentence autoencoder and a discriminator D(z) between its latent vectors and the prior's.
/// Phase "autoencoder": as Autoencoder, with the term "adv", -log D(z), while the discriminator is
/// fixed (and "logvar_l1" if it has a weight); nats per sentence. Phase "discriminator": its cross
/// entropy on those vectors, from before the update, and as many draws of the prior. With weight 0
/// the autoencoder's updates are those of Autoencoder, bit for bit.
class Aae : public SentenceModel {
 public:
  /// `deletion`: probability that a token is deleted in what the encoder reads in training.
  Aae(const AaeOptions& options, const ModelInputs& inputs, double deletion = 0);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::vector<Warning> warnings(const TrainingMeans& means) const override;
  static constexpr int kRevision = 2;

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
