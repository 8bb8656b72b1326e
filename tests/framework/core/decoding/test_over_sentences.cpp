#include "framework/core/decoding/over_sentences.h"

#include <ATen/ATen.h>

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
