// A model whose results are formulas, for evaluators.
#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <memory>
#include <optional>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/reply_scorer.h"

namespace lvtext::testing {

/// Latent vectors of three numbers, two classes, negative log-likelihoods and next-token scores
/// that depend on every token; the likelihoods also depend on the latent vector. Vectors and
/// weights of tokens are functions of their ids. Scores of images depend on brightness and
/// condition.
class FixedModel : public Model,
                   public Encoder,
                   public TextScorer,
                   public NextTokenModel,
                   public SentenceEmbedder,
                   public TextClassifier,
                   public WordVectors,
                   public TokenWeights,
                   public ReplyScorer,
                   public ImageScorer {
 public:
  int64_t latent_size() const override { return 3; }

  at::Tensor encode(const Tokens& sentences) override {
    at::Tensor latents = at::zeros({sentences.rows(), 3});
    for_each_token(sentences, [&](int64_t row, int64_t t, int64_t id) {
      for (int64_t j = 0; j < 2; ++j) {
        latents[row][j] += std::sin(static_cast<double>(id * (j + 1) + t));
      }
    });
    return latents;
  }
  at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor&, const NoiseKey&) override {
    return encode(sentences);
  }
  std::optional<at::Tensor> posterior_kl(const Tokens& sentences) override {
    return encode(sentences).square().sum(1) / 2;
  }
  int64_t embedding_size() const override { return 3; }
  std::string embedding_signature() const override { return "pool:fixed"; }
  at::Tensor embed(const Tokens& sentences) override { return encode(sentences); }
  at::Tensor score(const Tokens& sentences, const at::Tensor& z) override {
    const at::Tensor nats = at::full({sentences.rows()}, 0.5);
    for_each_token(sentences, [&](int64_t row, int64_t t, int64_t id) {
      nats[row] += std::log(1.0 + static_cast<double>(id) / static_cast<double>(t + 1));
    });
    return z.defined() ? nats + z.abs().sum(1) / 10 : nats;
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<Prompt>();
    state->sums = encode(start.prompt.value()).sum(1, /*keepdim=*/true);
    return state;
  }
  at::Tensor step(DecodeState& state, const at::Tensor&) override {
    return (static_cast<Prompt&>(state).sums + at::arange(vocabulary_.size)).sin();
  }
  int64_t classes() const override { return 2; }
  at::Tensor classify(const Tokens& sentences) override {
    return at::log_softmax(encode(sentences).slice(1, 0, 2), 1);
  }
  at::Tensor vectors() const override {
    const at::Tensor ids = at::arange(vocabulary_.size, at::kFloat).unsqueeze(1);
    return at::sin(ids * at::arange(1, 4, at::kFloat));
  }
  at::Tensor weights() const override {
    return at::arange(vocabulary_.size, at::kDouble).remainder(5) + 1;
  }
  at::Tensor reply_scores(const Tokens& contexts, const Tokens& replies) override {
    return encode(contexts).sum(1) * encode(replies).sum(1);
  }
  int64_t scored_condition_size() const override { return 2; }
  int64_t scored_together() const override { return 2; }
  double largest_distance() const override { return 0.5; }
  at::Tensor score_images(const at::Tensor& images, const at::Tensor& conditions) override {
    const at::Tensor light = images.to(at::kDouble).flatten(1).mean(1) / 255;
    return (light + conditions.to(at::kDouble).sum(2)).sin();
  }

 private:
  struct Prompt : DecodeState {
    at::Tensor sums;  // [N, 1]
    void select_rows(const at::Tensor& index) override { sums = sums.index_select(0, index); }
  };
  template <class Work>
  static void for_each_token(const Tokens& sentences, const Work& work) {
    for (int64_t row = 0; row < sentences.rows(); ++row) {
      for (int64_t t = 0; t < sentences.lengths[row].item<int64_t>(); ++t) {
        work(row, t, sentences.ids[row][t].item<int64_t>());
      }
    }
  }

  Vocabulary vocabulary_ = {.size = 100, .bos = 1, .eos = 2, .pad = 0, .unk = 3};
};

}  // namespace lvtext::testing
