#include "models/sentence_encoder.h"

#include <utility>

#include "framework/nn/module_scope.h"

namespace lvtext {
namespace {

// What the recurrent layer reads: at least one piece per sentence.
Tokens readable(const Tokens& sentences, bool bos) {
  if (bos) return {with_bos(sentences), sentences.lengths + 1};
  at::Tensor empty = sentences.lengths == 0;
  if (!empty.any().item<bool>()) return sentences;
  at::Tensor ids = sentences.ids.clone();
  at::Tensor rows = empty.nonzero().squeeze(1).to(ids.device());
  ids.select(1, 0).index_fill_(0, rows, kBos);
  return {ids, sentences.lengths.clamp_min(1)};
}

}  // namespace

SentenceEncoder::SentenceEncoder(const Init& init, const EncoderOptions& options, int64_t hidden,
                                 std::shared_ptr<Embedding> embedding)
    : options_(options),
      state_size_(options.bidirectional ? 2 * hidden : hidden),
      embedding_(std::move(embedding)) {
  const ModuleScope scope(*this, init);
  const int64_t width = embedding_->width();
  const double bound = options.init.value_or(-1);
  if (options.cell == CellType::kGru) {
    gru_ = scope.add<Gru>("gru", width, hidden, bound);
    if (options.bidirectional) reverse_gru_ = scope.add<Gru>("gru_reverse", width, hidden, bound);
  } else if (options.bidirectional) {
    bidirectional_lstm_ =
        scope.add<BidirectionalLstm>("lstm", width, hidden, options.forget_bias, bound);
  } else {
    lstm_ = scope.add<Lstm>("lstm", width, hidden, options.forget_bias, bound);
  }
}

at::Tensor SentenceEncoder::forward(const Tokens& sentences) const {
  const at::Tensor& table = embedding_->weight();
  Tokens tokens = readable(sentences, options_.bos);
  tokens.ids = tokens.ids.to(table.device());
  if (bidirectional_lstm_) {
    return bidirectional_lstm_->final_states(tokens.ids, table, tokens.lengths);
  }
  if (lstm_) return lstm_->forward_words(tokens.ids, table, tokens.lengths).h;
  at::Tensor last = gru_->forward_words(tokens.ids, table, tokens.lengths).h;
  if (!reverse_gru_) return last;
  GruExtras extras;
  extras.reverse = true;
  return at::cat(
      {last, reverse_gru_->forward_words(tokens.ids, table, tokens.lengths, {}, extras).h}, 1);
}

}  // namespace lvtext
