#include "models/sentence_autoencoder.h"

namespace lvtext {

SentenceAutoencoder::SentenceAutoencoder(const ModuleScope& scope, const AutoencoderLayout& layout,
                                         const Vocabulary& vocabulary) {
  const SentenceWidths& widths = layout.widths;
  const auto embedding = [&](const char* name) {
    return scope.add<Embedding>(name, vocabulary.size, widths.embedding);
  };
  if (layout.shared_embedding) {
    encoder_embedding_ = decoder_embedding_ = embedding("embedding");
  } else {
    encoder_embedding_ = embedding("encoder_embedding");
    decoder_embedding_ = embedding("decoder_embedding");
  }
  encoder_ = scope.add<SentenceEncoder>("encoder", layout.encoder, widths.encoder,
                                        encoder_embedding_, vocabulary);
  latent_ = layout.latent(scope, encoder_->state_size());
  decoder_ = scope.add<SentenceDecoder>("decoder", layout.decoder, widths.decoder,
                                        decoder_embedding_, latent_->size(), vocabulary);
}

Posterior SentenceAutoencoder::posterior(const Tokens& sentences) const {
  return latent_->posterior(encoder_->forward(sentences));
}

at::Tensor SentenceAutoencoder::draw(const Posterior& posterior, const Batch& batch,
                                     StepContext& context) {
  return context.training() ? latent_->draw(posterior, batch.example_ids, context) : posterior.mean;
}

at::Tensor SentenceAutoencoder::reconstruction_sum(const Batch& batch, const at::Tensor& z,
                                                   StepContext& context) const {
  return decoder_->nll_sum(batch.tokens(), z, batch.example_ids, context);
}

at::TensorOptions SentenceAutoencoder::options() const {
  return decoder_embedding_->weight().options().requires_grad(false);
}

Modules SentenceAutoencoder::shared_layers() const {
  if (encoder_embedding_ == decoder_embedding_) return {encoder_embedding_};
  return {};
}

Modules SentenceAutoencoder::encoder_layers() const {
  Modules layers = {encoder_};
  if (encoder_embedding_ != decoder_embedding_) layers.push_back(encoder_embedding_);
  for (const auto& layer : latent_->layers()) layers.push_back(layer);
  return layers;
}

Modules SentenceAutoencoder::decoder_layers() const {
  if (encoder_embedding_ == decoder_embedding_) return {decoder_};
  return {decoder_, decoder_embedding_};
}

}  // namespace lvtext
