// Bag-of-words loss (Zhao, Zhao and Eskenazi 2017): z alone predicts the words.
#pragma once

#include <memory>

#include "framework/core/model/batch.h"
#include "framework/core/nn/linear.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/text/vocabulary.h"

namespace lvtext {

/// Network Z -> hidden, tanh, -> V whose softmax is the distribution of every word of a sentence.
class BagOfWords : public torch::nn::Module {
 public:
  BagOfWords(const Init& init, int64_t latent, int64_t hidden, const Vocabulary& vocabulary);
  /// Sum over the batch of the NLL in nats of all words and EOS, including repetitions.
  at::Tensor nll_sum(const Tokens& sentences, const at::Tensor& z) const;

 private:
  int64_t eos_;
  std::shared_ptr<Linear> hidden_, output_;
};

/// The same sum from logits [B, V].
at::Tensor bag_of_words_sum(const at::Tensor& logits, const Tokens& sentences, int64_t eos);

}  // namespace lvtext
