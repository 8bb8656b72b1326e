// Sentences to fixed-size states.
#pragma once

#include <memory>

#include "framework/core/model/batch.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/recurrent_layer.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/text/vocabulary.h"
#include "models/sentence_options.h"

namespace lvtext {

/// A recurrent encoder over word vectors that belong to the model, not to this module. An empty
/// sentence is read as the start symbol of the vocabulary (start_of) alone. No dropout.
class SentenceEncoder : public torch::nn::Module {
 public:
  /// Throws OptionError if `bos` does not fit the vocabulary.
  SentenceEncoder(const Init& init, const EncoderOptions& options, int64_t hidden,
                  std::shared_ptr<Embedding> embedding, const Vocabulary& vocabulary);
  /// Width S of the state: `hidden`, twice that if bidirectional.
  int64_t state_size() const { return recurrent_.width(); }
  /// The last hidden state of each sentence, [B, S]; forward beside reverse if bidirectional.
  at::Tensor forward(const Tokens& sentences) const;

 private:
  bool bos_;
  int64_t start_;
  std::shared_ptr<Embedding> embedding_;
  RecurrentEncoder recurrent_;
};

}  // namespace lvtext
