#include "models/rnn_lm/rnn_lm.h"

#include "framework/core/model/registration.h"
#include "framework/core/nn/module_scope.h"

namespace lvtext {

RnnLm::RnnLm(const RnnLmOptions& options, const ModelInputs& inputs) {
  const SentenceWidths widths = preset_widths(options.size);
  const Vocabulary& vocabulary = inputs.vocabulary();
  const ModuleScope scope(*this, {inputs.seed});
  embedding_ = scope.add<Embedding>("embedding", vocabulary.size,
                                    options.embedding.value_or(widths.embedding));
  decoder_ = scope.add<SentenceDecoder>("decoder", options.decoder,
                                        options.decoder.hidden.value_or(widths.decoder), embedding_,
                                        /*latent=*/0, vocabulary);
}

std::vector<ParamGroup> RnnLm::groups() {
  return {group("embedding", {embedding_}), group("decoder", {decoder_})};
}

std::vector<Phase> RnnLm::phases() const {
  return {{.name = "lm",
           .updates = {{"default", {"embedding", "decoder"}}},
           .draws = {{}},
           .terms = {{.name = "nll"}}}};
}

Sums RnnLm::losses(const Phase&, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  return {decoder_->nll_sum(batch.tokens(), {}, batch.example_ids, context)};
}

std::unique_ptr<DecodeState> RnnLm::start(const Start& start) {
  return decoder_->start(start);
}

at::Tensor RnnLm::step(DecodeState& state, const at::Tensor& ids) {
  return decoder_->step(state, ids);
}

at::Tensor RnnLm::score(const Tokens& sentences, const at::Tensor&) {
  at::NoGradGuard no_grad;
  return decoder_->nll(sentences, {});
}

void register_rnn_lm(Registries& registries) {
  add_model<RnnLm, RnnLmOptions>(
      registries, "rnn_lm",
      "Recurrent language model: the sentence decoder without a latent vector",
      {"Cifka, Severyn, Alfonseca and Filippova 2018", "https://arxiv.org/abs/1804.07972"});
}

}  // namespace lvtext
