// A small recurrent decoder for the models of this plug-in.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "framework/core/model/batch.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/text/vocabulary.h"

namespace example {

/// 1 for tokens, and for the first `ends` positions after them, else 0: [B, T + ends].
inline at::Tensor token_mask(const lvtext::Tokens& x, int64_t ends, const at::Tensor& like) {
  const at::Tensor positions = at::arange(x.ids.size(1) + ends, at::kLong).unsqueeze(0);
  return positions.lt(x.lengths.unsqueeze(1) + ends).to(like.device(), like.scalar_type());
}

/// h_t = tanh(U h_{t-1} + vector of the previous token), scores O h_t.
class SmallDecoder : public torch::nn::Module {
 public:
  SmallDecoder(const lvtext::Init& init, const lvtext::Vocabulary& vocabulary, int64_t width)
      : start_(lvtext::start_of(vocabulary)), eos_(lvtext::eos_of(vocabulary, "the decoder")) {
    const lvtext::ModuleScope scope(*this, init);
    embedding = scope.uniform("embedding", {vocabulary.size, width}, 0.5);
    recurrent = scope.uniform("recurrent", {width, width}, 0.5);
    output = scope.uniform("output", {vocabulary.size, width}, 0.5);
  }

  /// State [B, H] after `state` has read vectors [B, H].
  at::Tensor next(const at::Tensor& state, const at::Tensor& vectors) const {
    return at::tanh(at::matmul(state, recurrent.t()) + vectors);
  }
  at::Tensor vectors(const at::Tensor& ids) const {
    return embedding.index_select(0, ids.to(embedding.device()));
  }
  at::Tensor scores(const at::Tensor& states) const { return at::matmul(states, output.t()); }
  at::Tensor log_p(const at::Tensor& states) const { return at::log_softmax(scores(states), -1); }

  /// States [B, T + 1, H] from an initial state [B, H] or [1, H], zero after the EOS of `x`; `read`
  /// returns the vectors [B, H] to read at t > 0, given a state.
  template <class Read>
  at::Tensor unroll(const lvtext::Tokens& x, const at::Tensor& start, Read read) const {
    std::vector<at::Tensor> states;
    at::Tensor h = start.expand({x.rows(), start.size(1)});
    for (int64_t t = 0; t <= x.ids.size(1); ++t) {
      h = next(h, t == 0 ? embedding[start_].unsqueeze(0) : read(t, h));
      states.push_back(h);
    }
    return at::stack(states, 1) * token_mask(x, 1, h).unsqueeze(2);
  }

  /// States while reading the sentence itself (teacher forcing).
  at::Tensor taught(const lvtext::Tokens& x, const at::Tensor& start) const {
    return unroll(x, start,
                  [&](int64_t t, const at::Tensor&) { return vectors(x.ids.select(1, t - 1)); });
  }

  /// Most likely tokens, up to EOS or the length of `x`; without gradient.
  lvtext::Tokens greedy(const lvtext::Tokens& x, const at::Tensor& start) const {
    const at::NoGradGuard no_grad;
    std::vector<at::Tensor> ids;
    unroll(x, start, [&](int64_t, const at::Tensor& h) {
      ids.push_back(scores(h).argmax(1));
      return vectors(ids.back());
    });
    const at::Tensor tokens = at::stack(ids, 1);
    const at::Tensor kept = token_mask(x, 0, tokens).gt(0) & tokens.eq(eos_).cumsum(1).eq(0);
    return {at::where(kept, tokens, at::zeros_like(tokens)), kept.sum(1).to(at::kCPU)};
  }

  /// NLL of each sentence in nats, including EOS, from states [B, T + 1, H]: [B].
  at::Tensor nll(const lvtext::Tokens& x, const at::Tensor& states) const {
    const at::Tensor targets = lvtext::with_eos(x, eos_).to(states.device()).unsqueeze(2);
    const at::Tensor picked = log_p(states).gather(2, targets).squeeze(2);
    return -(picked * token_mask(x, 1, picked)).sum(1);
  }

  /// State after a prompt except its last token, as required by NextTokenModel::start().
  at::Tensor after_prompt(const lvtext::Tokens& prompt, at::Tensor h) const {
    const at::Tensor ids = lvtext::with_bos(prompt, start_);
    for (int64_t t = 0; t < ids.size(1); ++t) {
      const at::Tensor is_read = prompt.lengths.gt(t).unsqueeze(1).to(h.device());
      h = at::where(is_read, next(h, vectors(ids.select(1, t))), h);
    }
    return h;
  }

  at::Tensor embedding, recurrent, output;

 private:
  int64_t start_, eos_;
};

}  // namespace example
