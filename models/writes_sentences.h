// What a model can do by its sentence decoder alone.
#pragma once

#include <memory>

#include "framework/model/capabilities.h"
#include "models/sentence_decoder.h"

namespace lvtext {

/// A model that writes and scores sentences, given codes of the decoder's width. It sets
/// `decoder_`.
class WritesSentences : public NextToken, public ScoresText {
 public:
  int64_t vocabulary_size() const override { return decoder_->vocabulary_size(); }
  std::unique_ptr<DecodeState> start(const Start& start) override { return decoder_->start(start); }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    return decoder_->step(state, ids);
  }
  at::Tensor score(const Tokens& sentences, const at::Tensor& z) override {
    const at::NoGradGuard no_grad;
    return decoder_->nll(sentences, z);
  }

 protected:
  std::shared_ptr<SentenceDecoder> decoder_;
};

}  // namespace lvtext
