// Recurrent encoder from sentences to fixed-size states.
#pragma once

#include <memory>

#include "framework/core/model/batch.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/recurrent_layer.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/text/vocabulary.h"
#include "models/sentence_options.h"

namespace lvtext {

/// Recurrent encoder over word vectors, which the model owns, not this module. An empty sentence is
/// replaced by the start symbol of the vocabulary (start_of). No dropout.
class SentenceEncoder : public torch::nn::Module {
 public:
  /// Throws OptionError if `bos` is set and the vocabulary has no BOS.
  SentenceEncoder(const Init& init, const EncoderOptions& options, int64_t hidden,
                  std::shared_ptr<Embedding> embedding, const Vocabulary& vocabulary);
  /// Width S of the state: `hidden`, twice that if bidirectional.
  int64_t state_size() const { return recurrent_.width(); }
  /// Final hidden state of each sentence, [B, S]; if bidirectional, forward and reverse
  /// concatenated.
  at::Tensor forward(const Tokens& sentences) const;

 private:
  bool bos_;
  int64_t start_;
  std::shared_ptr<Embedding> embedding_;
  RecurrentEncoder recurrent_;
};

}  // namespace lvtext
