// The bag-of-words loss (Zhao, Zhao and Eskenazi 2017): z alone predicts the words.
#pragma once

#include <memory>

#include "framework/model/batch.h"
#include "framework/nn/linear.h"
#include "framework/tensor/torch.h"

namespace lvtext {

/// A network Z -> hidden, tanh, -> V whose softmax is one distribution for all words of a sentence.
class BagOfWords : public torch::nn::Module {
 public:
  BagOfWords(const Init& init, int64_t latent, int64_t hidden, int64_t vocabulary);
  /// Sum over the batch of the NLL in nats of all words and EOS, repetitions counted.
  at::Tensor nll_sum(const Tokens& sentences, const at::Tensor& z) const;

 private:
  std::shared_ptr<Linear> hidden_, output_;
};

/// The same from logits [B, V].
at::Tensor bag_of_words_sum(const at::Tensor& logits, const Tokens& sentences);

}  // namespace lvtext
