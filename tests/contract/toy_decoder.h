// A recurrent decoder of words for the toys of the contract suite.
#pragma once

#include <string>
#include <vector>

#include "tests/contract/toy_parts.h"

namespace lvtext::testing {

/// h_t = tanh(U h_{t-1} + the vector of the word before), scores O h_t: Z = 4, V = 13, float64.
struct ToyDecoder : torch::nn::Module {
  explicit ToyDecoder(uint64_t seed)
      : embedding(weight(seed, "embedding", {13, 4})),
        recurrent(weight(seed, "recurrent", {4, 4})),
        output(weight(seed, "output", {13, 4})) {}

  /// States [B, T + 1, Z] from a start [B, Z] or [1, Z], zero beyond the end mark of `x`; `read`
  /// gives the word vectors [B, Z] that are read at t > 0 after a state [B, Z].
  template <class Read>
  at::Tensor unroll(const Tokens& x, const at::Tensor& start, Read read) {
    std::vector<at::Tensor> states;
    at::Tensor h = start.expand({x.rows(), 4});
    for (int64_t t = 0; t <= x.ids.size(1); ++t) {
      const at::Tensor word = t == 0 ? embedding[kBos].unsqueeze(0) : read(t, h);
      h = at::tanh(at::matmul(h, recurrent.t()) + word);
      states.push_back(h);
    }
    return at::stack(states, 1) * toy_mask(x, 1).unsqueeze(2);
  }

  /// Reads the sentence itself.
  at::Tensor taught(const Tokens& x, const at::Tensor& start) {
    return unroll(x, start, [&](int64_t t, const at::Tensor&) {
      return embedding.index_select(0, x.ids.select(1, t - 1));
    });
  }

  /// The likeliest words, up to an end mark or the length of `x`; no gradient.
  Tokens greedy(const Tokens& x, const at::Tensor& start) {
    const at::NoGradGuard no_grad;
    std::vector<at::Tensor> ids;
    unroll(x, start, [&](int64_t, const at::Tensor& h) {
      ids.push_back(at::matmul(h, output.t()).argmax(1));
      return embedding.index_select(0, ids.back());
    });
    const at::Tensor words = at::stack(ids, 1);
    const at::Tensor there = toy_mask(x).gt(0) & words.eq(kEos).cumsum(1).eq(0);
    return {at::where(there, words, at::full_like(words, kPad)), there.sum(1)};
  }

  /// Log-probabilities [B, T, V] of states [B, T, Z].
  at::Tensor log_p(const at::Tensor& states) const {
    return at::log_softmax(at::matmul(states, output.t()), 2);
  }

  /// Minus the log-probability of all words and end marks of `x` under its states.
  at::Tensor nll(const Tokens& x, const at::Tensor& states) const {
    const at::Tensor picked = log_p(states).gather(2, with_eos(x, kEos).unsqueeze(2)).squeeze(2);
    return -(picked * toy_mask(x, 1)).sum();
  }

  at::Tensor weight(uint64_t seed, const std::string& name, at::IntArrayRef shape) {
    return register_parameter(name, toy_weight(seed, name, shape, at::kDouble));
  }
  at::Tensor embedding, recurrent, output;
};

}  // namespace lvtext::testing
