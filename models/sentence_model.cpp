#include "models/sentence_model.h"

namespace lvtext {

SentenceModel::SentenceModel(const AutoencoderLayout& layout, const ModelInputs& inputs)
    : autoencoder_(ModuleScope(*this, {inputs.seed}), layout, inputs.vocabulary()) {}

std::vector<ParamGroup> SentenceModel::groups() {
  std::vector<ParamGroup> groups;
  const Modules shared = autoencoder_.shared_layers();
  if (!shared.empty()) groups.push_back(group("embedding", shared));
  groups.push_back(group("encoder", autoencoder_.encoder_layers()));
  groups.push_back(group("decoder", autoencoder_.decoder_layers()));
  return groups;
}

std::vector<std::string> SentenceModel::autoencoder_groups() const {
  if (autoencoder_.shared_layers().empty()) return {"encoder", "decoder"};
  return {"embedding", "encoder", "decoder"};
}

at::Tensor SentenceModel::encode(const Tokens& sentences) {
  const at::NoGradGuard no_grad;
  return autoencoder_.posterior(sentences).mean;
}

at::Tensor SentenceModel::encode_sampled(const Tokens& sentences, const at::Tensor& example_ids,
                                         const NoiseKey& key) {
  const at::NoGradGuard no_grad;
  return autoencoder_.latent().sample(autoencoder_.posterior(sentences), example_ids, key);
}

at::Tensor SentenceModel::sample_prior(const at::Tensor& example_ids, const NoiseKey& key) {
  return autoencoder_.latent().sample_prior(example_ids, key, autoencoder_.options());
}

const Vocabulary& SentenceModel::vocabulary() const {
  return autoencoder_.decoder().vocabulary();
}

std::unique_ptr<DecodeState> SentenceModel::start(const Start& start) {
  return autoencoder_.decoder().start(start);
}

at::Tensor SentenceModel::step(DecodeState& state, const at::Tensor& ids) {
  return autoencoder_.decoder().step(state, ids);
}

at::Tensor SentenceModel::score(const Tokens& sentences, const at::Tensor& z) {
  const at::NoGradGuard no_grad;
  return autoencoder_.decoder().nll(sentences, z);
}

}  // namespace lvtext
