#include "models/vae/bag_of_words.h"

#include "framework/core/nn/module_scope.h"

namespace lvtext {

BagOfWords::BagOfWords(const Init& init, int64_t latent, int64_t hidden,
                       const Vocabulary& vocabulary)
    : eos_(eos_of(vocabulary, "the bag of words")) {
  const ModuleScope scope(*this, init);
  hidden_ = scope.add<Linear>("hidden", latent, hidden);
  output_ = scope.add<Linear>("output", hidden, vocabulary.size);
}

at::Tensor BagOfWords::nll_sum(const Tokens& sentences, const at::Tensor& z) const {
  return bag_of_words_sum(output_->forward(at::tanh(hidden_->forward(z))), sentences, eos_);
}

at::Tensor bag_of_words_sum(const at::Tensor& logits, const Tokens& sentences, int64_t eos) {
  const at::Tensor targets = with_eos(sentences, eos);
  const at::Tensor positions = at::arange(targets.size(1), sentences.lengths.options());
  const at::Tensor real =
      (positions.unsqueeze(0) <= sentences.lengths.unsqueeze(1)).to(logits.device());
  const at::Tensor words = at::log_softmax(logits, 1).gather(1, targets);
  return -at::where(real, words, at::zeros({}, words.options())).sum();
}

}  // namespace lvtext
