// Sentence autoencoders: AE-GAUSS-DET and AE-SPH of Cifka et al. 2018.
#pragma once

#include <vector>

#include "models/autoencoder/autoencoder_options.h"
#include "models/sentence_model.h"

namespace lvtext {

/// One phase "autoencoder" with the term "rec": nats per sentence or per token (`mean_over`), EOS
/// included. Noise is added to the latent vector in training only; validation uses the posterior
/// mean.
class Autoencoder : public SentenceModel {
 public:
  Autoencoder(const AutoencoderOptions& options, const ModelInputs& inputs);

  std::vector<Phase> phases() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  static constexpr int kRevision = 3;

 private:
  Denominator denominator_;
};

}  // namespace lvtext
