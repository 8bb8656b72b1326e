#include "models/sentence_encoder.h"

#include <utility>

#include "framework/core/options/option_error.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

// Returns the input of the recurrent layer, with at least one token per sentence.
Tokens readable(const Tokens& sentences, bool bos, int64_t start) {
  if (bos) return {with_bos(sentences, start), sentences.lengths + 1};
  at::Tensor empty = sentences.lengths == 0;
  if (!empty.any().item<bool>()) return sentences;
  at::Tensor ids = sentences.ids.clone();
  at::Tensor rows = empty.nonzero().squeeze(1).to(ids.device());
  ids.select(1, 0).index_fill_(0, rows, start);
  return {ids, sentences.lengths.clamp_min(1)};
}

}  // namespace

SentenceEncoder::SentenceEncoder(const Init& init, const EncoderOptions& options, int64_t hidden,
                                 std::shared_ptr<Embedding> embedding, const Vocabulary& vocabulary)
    : bos_(options.bos),
      start_(start_of(vocabulary)),
      embedding_(std::move(embedding)),
      recurrent_(make_recurrent_encoder({*this, init},
                                        {options.cell, embedding_->width(), hidden,
                                         options.forget_bias, options.init.value_or(-1)},
                                        options.bidirectional)) {
  if (!options.bos || vocabulary.bos) return;
  throw OptionError(
      {OptionMistake{"encoder.bos", "the tokenizer has no BOS; set encoder.bos=false"}});
}

at::Tensor SentenceEncoder::forward(const Tokens& sentences) const {
  LVT_CHECK_SHAPE(sentences.ids, {-1, -1});
  LVT_CHECK_SHAPE(sentences.lengths, {sentences.rows()});
  const at::Tensor& table = embedding_->weight();
  const Tokens tokens = readable(sentences, bos_, start_);
  return recurrent_.final_states(tokens.ids.to(table.device()), table, tokens.lengths);
}

}  // namespace lvtext
