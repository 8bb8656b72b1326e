// Core of all sentence autoencoders: word vectors, encoder, latent variable, decoder.
#pragma once

#include <memory>

#include "framework/core/model/batch.h"
#include "models/latent.h"
#include "models/sentence_decoder.h"
#include "models/sentence_encoder.h"

namespace lvtext {

/// Configuration of a SentenceAutoencoder.
struct AutoencoderLayout {
  EncoderOptions encoder;
  DecoderOptions decoder;
  SentenceWidths widths;
  bool shared_embedding = true;  ///< false: encoder and decoder have separate word vectors
  LatentFactory latent;
};

/// Returns the widths of a model's options; those of `preset` for unset options.
template <class Options>
SentenceWidths widths_of(const Options& options, const SentenceWidths& preset) {
  return {
      options.embedding.value_or(preset.embedding), options.encoder.hidden.value_or(preset.encoder),
      options.decoder.hidden.value_or(preset.decoder), options.latent.size.value_or(preset.latent)};
}

/// x -> encoder -> q(z | x) -> z -> decoder -> p(x | z). Layers are registered in the model of
/// `scope`: "embedding" (or "encoder_embedding" and "decoder_embedding"), "encoder", those of the
/// latent variable, "decoder".
class SentenceAutoencoder {
 public:
  SentenceAutoencoder(const ModuleScope& scope, const AutoencoderLayout& layout,
                      const Vocabulary& vocabulary);

  /// The posterior of each sentence, with graph.
  Posterior posterior(const Tokens& sentences) const;
  /// The decoder's z, [B, Z]: a posterior sample in training, otherwise the mean.
  at::Tensor draw(const Posterior& posterior, const Batch& batch, StepContext& context);
  /// Sum of the NLL of the batch's sentences given z [B, Z], in nats, with the decoder's dropout.
  at::Tensor reconstruction_sum(const Batch& batch, const at::Tensor& z,
                                StepContext& context) const;

  const Latent& latent() const { return *latent_; }
  const SentenceDecoder& decoder() const { return *decoder_; }
  /// Data type and device of latent vectors.
  at::TensorOptions options() const;

  /// Layers of the parameter groups: shared word vectors, encoder with the latent variable's
  /// layers, decoder.
  Modules shared_layers() const;
  Modules encoder_layers() const;
  Modules decoder_layers() const;

 private:
  std::shared_ptr<Embedding> encoder_embedding_, decoder_embedding_;  // identical if shared
  std::shared_ptr<SentenceEncoder> encoder_;
  std::unique_ptr<Latent> latent_;
  std::shared_ptr<SentenceDecoder> decoder_;
};

}  // namespace lvtext
