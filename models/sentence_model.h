// Base class of models with a sentence autoencoder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/latent_space.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "models/sentence_autoencoder.h"

namespace lvtext {

/// A trained model with a SentenceAutoencoder, whose capabilities it implements.
class SentenceModel : public Trainable,
                      public Encoder,
                      public PriorSampler,
                      public NextTokenModel,
                      public TextScorer,
                      public LatentSpace {
 public:
  /// "embedding" (if shared), "encoder" with the layers of the latent variable, "decoder".
  std::vector<ParamGroup> groups() override;

  int64_t latent_size() const override { return autoencoder_.latent().size(); }
  at::Tensor encode(const Tokens& sentences) override;
  at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor& example_ids,
                            const NoiseKey& key) override;
  /// Samples the prior of the latent variable.
  at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key) override;
  bool on_unit_sphere() const override { return autoencoder_.latent().on_unit_sphere(); }

  const Vocabulary& vocabulary() const override;
  std::unique_ptr<DecodeState> start(const Start& start) override;
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override;
  at::Tensor score(const Tokens& sentences, const at::Tensor& z) override;

 protected:
  SentenceModel(const AutoencoderLayout& layout, const ModelInputs& inputs);
  /// Names of groups().
  std::vector<std::string> autoencoder_groups() const;
  SentenceAutoencoder& autoencoder() { return autoencoder_; }
  const SentenceAutoencoder& autoencoder() const { return autoencoder_; }

 private:
  SentenceAutoencoder autoencoder_;
};

}  // namespace lvtext
