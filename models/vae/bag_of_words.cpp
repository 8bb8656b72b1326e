#include "models/vae/bag_of_words.h"

namespace lvtext {

BagOfWords::BagOfWords(int64_t latent, int64_t hidden, int64_t vocabulary, uint64_t seed) {
  hidden_ = register_module("hidden",
                            std::make_shared<Linear>(latent, hidden, seed, "bag_of_words.hidden"));
  output_ = register_module(
      "output", std::make_shared<Linear>(hidden, vocabulary, seed, "bag_of_words.output"));
}

at::Tensor BagOfWords::nll_sum(const Tokens& sentences, const at::Tensor& z) const {
  return bag_of_words_sum(output_->forward(at::tanh(hidden_->forward(z))), sentences);
}

at::Tensor bag_of_words_sum(const at::Tensor& logits, const Tokens& sentences) {
  const at::Tensor targets = with_eos(sentences);
  const at::Tensor positions = at::arange(targets.size(1), sentences.lengths.options());
  const at::Tensor real =
      (positions.unsqueeze(0) <= sentences.lengths.unsqueeze(1)).to(logits.device());
  const at::Tensor words = at::log_softmax(logits, 1).gather(1, targets);
  return -at::where(real, words, at::zeros({}, words.options())).sum();
}

}  // namespace lvtext
