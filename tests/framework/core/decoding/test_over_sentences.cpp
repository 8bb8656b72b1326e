#include "framework/core/decoding/over_sentences.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tests/catch.h"
#include "tests/framework/core/decoding/history_model.h"

using namespace lvtext;

namespace {

// z is the first token; decoding repeats it twice and ends.
class Echo : public Encoder, public NextTokenModel {
 public:
  struct State : DecodeState {
    at::Tensor z;
    int64_t fed = 0;
    void select_rows(const at::Tensor& index) override { z = z.index_select(0, index); }
  };
  int64_t latent_size() const override { return 1; }
  at::Tensor encode(const Tokens& sentences) override {
    return sentences.ids.narrow(1, 0, 1).to(at::kFloat);
  }
  at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor&, const NoiseKey&) override {
    return encode(sentences);
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<State>();
    state->z = start.z;
    return state;
  }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    State& s = static_cast<State&>(state);
    const at::Tensor next = s.fed++ < 2 ? s.z.to(at::kLong) : at::full_like(s.z, kEos, at::kLong);
    return at::zeros({ids.size(0), 10}).scatter_(1, next, 1.0);
  }

 private:
  Vocabulary vocabulary_ = testing::three_ids(10);
};

// z is the first token plus the difference of the styles.
class Shift : public Echo, public StyleTransfer {
 public:
  int64_t styles() const override { return 3; }
  at::Tensor encode_for(const Tokens& sentences, const at::Tensor& from,
                        const at::Tensor& to) override {
    batches.push_back(sentences);
    return encode(sentences) + (to - from).unsqueeze(1);
  }
  std::vector<Tokens> batches;
};

}  // namespace

TEST_CASE("reconstruct: sentences are returned in their order", "[decoding]") {
  Echo model;
  const std::vector<TokenIds> sentences = {{4}, {5, 6, 7}, {8, 9}, {6, 6, 6, 6}, {7}};
  const Decoded decoded =
      reconstruct(model, model, sentences, {.policy = {}, .max_length = 9, .batch = 2});
  CHECK(decoded.sentences == std::vector<TokenIds>{{4, 4}, {5, 5}, {8, 8}, {6, 6}, {7, 7}});
  CHECK(decoded.cut_off == 0);
  CHECK(at::equal(posterior_means(model, sentences, 2).squeeze(1),
                  at::tensor({4.f, 5.f, 8.f, 6.f, 7.f})));
  CHECK(at::equal(posterior_draws(model, sentences, 2, {}).squeeze(1),
                  at::tensor({4.f, 5.f, 8.f, 6.f, 7.f})));
}

TEST_CASE("transfer: sentences and their styles keep their order, without padding", "[decoding]") {
  Shift model;
  const std::vector<TokenIds> sentences = {{4}, {5, 6, 7}, {8, 9}, {6, 6, 6}, {}, {7}, {5, 5, 5}};
  const at::Tensor from = at::tensor({0, 0, 1, 2, 0, 1, 0}, at::kLong);
  const at::Tensor to = at::tensor({1, 2, 0, 2, 2, 0, 1}, at::kLong);
  const Decoded decoded =
      transfer(model, model, sentences, from, to, {.policy = {}, .max_length = 9, .batch = 2});
  // The empty sentence is padded with 0, and 0 + 2 is EOS.
  CHECK(decoded.sentences ==
        std::vector<TokenIds>{{5, 5}, {7, 7}, {7, 7}, {6, 6}, {}, {6, 6}, {6, 6}});
  CHECK(decoded.cut_off == 0);
  CHECK(model.batches.size() == 5);  // 2 + 1 of three tokens, 1, 2 and the empty one
  for (const Tokens& batch : model.batches) {
    CHECK(batch.lengths.eq(batch.lengths[0]).all().item<bool>());
    CHECK(batch.ids.size(1) == std::max<int64_t>(1, batch.lengths[0].item<int64_t>()));
  }
  const Decoded cut = transfer(model, model, sentences, from, to, {.policy = {}, .max_length = 1});
  CHECK(cut.cut_off == 6);
  CHECK(transfer(model, model, {}, at::empty({0}, at::kLong), at::empty({0}, at::kLong), {})
            .sentences.empty());
}

TEST_CASE("token_nats: running text has no likelihood of its first token and of its end",
          "[decoding]") {
  struct Scorer : TextScorer {
    at::Tensor score(const Tokens&, const at::Tensor&) override { return {}; }
  };
  struct Running : testing::RunningModel, Scorer {
    using RunningModel::RunningModel;
  };
  Running model(12, 3);
  CHECK_FALSE(scores_end(model));
  CHECK(scores_end(Scorer()));
  CHECK(scored_tokens(model, 0) == 0);
  CHECK(scored_tokens(model, 5) == 4);
  CHECK(scored_tokens(Scorer(), 5) == 6);
  const std::vector<TokenIds> texts = {{7, 3, 7, 7}, {7}, {}, {2, 4, 7}};
  const std::vector<double> nats = token_nats(model, texts, 7, 3);
  const at::Tensor table = model.table();
  const auto nll = [](const at::Tensor& scores) {
    return -at::log_softmax(scores, 0)[7].item<double>();
  };
  const double third = nll(table[7] / 2 + table[3]),
               fourth = nll(table[7] / 4 + table[3] / 2 + table[7]);
  CHECK(nats[0] == Approx(third + fourth).epsilon(1e-5));
  CHECK(nats[1] == 0);
  CHECK(nats[2] == 0);
  CHECK(nats[3] == Approx(nll(table[2] / 2 + table[4])).epsilon(1e-5));
}
