// Sentences to fixed-size states.
#pragma once

#include <memory>

#include "framework/model/batch.h"
#include "framework/nn/embedding.h"
#include "framework/nn/gru.h"
#include "framework/nn/lstm.h"
#include "framework/tensor/torch.h"
#include "models/sentence_options.h"

namespace lvtext {

/// A recurrent encoder over word vectors that belong to the model, not to this module. An empty
/// sentence is read as the begin mark alone. No dropout.
class SentenceEncoder : public torch::nn::Module {
 public:
  SentenceEncoder(const Init& init, const EncoderOptions& options, int64_t hidden,
                  std::shared_ptr<Embedding> embedding);
  /// Width S of the state: `hidden`, twice that if bidirectional.
  int64_t state_size() const { return state_size_; }
  /// The last hidden state of each sentence, [B, S]; forward beside reverse if bidirectional.
  at::Tensor forward(const Tokens& sentences) const;

 private:
  EncoderOptions options_;
  int64_t state_size_;
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<Lstm> lstm_;
  std::shared_ptr<BidirectionalLstm> bidirectional_lstm_;
  std::shared_ptr<Gru> gru_, reverse_gru_;
};

}  // namespace lvtext
