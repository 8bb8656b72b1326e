// InferSent: pooling (case C11 of the first paper's specification), sentence vectors and the loss.
#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "models/infersent/infersent.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

InfersentOptions small(Pooling pool = Pooling::kV1Zero) {
  InfersentOptions options;
  options.size = InfersentSize::kSmall;
  options.embedding = 5;
  options.hidden = 6;
  options.classifier = 7;
  options.pool = pool;
  return options;
}

const ModelInputs kInputs = testing::model_inputs(12, 3, 3);

Batch pairs() {
  const Tokens premise = pad_sentences({{4, 5, 6}, {7}, {}, {8, 9}});
  const Tokens hypothesis = pad_sentences({{4}, {7, 8, 9, 10, 11}, {4, 5}, {}});
  return {at::arange(4),
          {{"premise", premise.ids},
           {"premise.lengths", premise.lengths},
           {"hypothesis", hypothesis.ids},
           {"hypothesis.lengths", hypothesis.lengths},
           {"label", at::tensor({0, 1, 2, 1}, at::kLong)}}};
}

}  // namespace

TEST_CASE("infersent: pooling with and without the zeros of padding (C11)", "[infersent]") {
  const at::Tensor states =
      at::tensor({-0.2, 0.3, -0.1, -0.4, 0.0, 0.0}, at::kDouble).view({1, 3, 2});
  const at::Tensor lengths = at::tensor({2}, at::kLong);
  const auto near = [](const at::Tensor& value, double first, double second) {
    return at::allclose(value, at::tensor({first, second}, at::kDouble).view({1, 2}), 0, 1e-15);
  };
  CHECK(near(pool_states(states, lengths, Pooling::kExact), -0.1, 0.3));
  CHECK(near(pool_states(states, lengths, Pooling::kV1Zero), 0, 0.3));
  // A single sentence is the longest of its batch and has no padding.
  CHECK(near(pool_states(states, lengths, Pooling::kV1Batch), -0.1, 0.3));
  const at::Tensor two = at::cat({states, at::full_like(states, 1)});
  const at::Tensor pooled = pool_states(two, at::tensor({2, 3}, at::kLong), Pooling::kV1Batch);
  CHECK(near(pooled.slice(0, 0, 1), 0, 0.3));
}

TEST_CASE("infersent: a sentence's vector depends on the batch only with v1_batch", "[infersent]") {
  const Tokens alone = pad_sentences({{4, 5}});
  const Tokens among = pad_sentences({{6, 7, 8, 9, 10}, {4, 5}, {}});
  for (const Pooling pool : {Pooling::kV1Zero, Pooling::kExact, Pooling::kV1Batch}) {
    Infersent model(small(pool), kInputs);
    const at::Tensor first = model.embed(alone)[0], second = model.embed(among)[1];
    CHECK(first.sizes() == at::IntArrayRef{12});
    CHECK(at::allclose(first, second, 1e-5, 1e-6) == (pool != Pooling::kV1Batch));
    CHECK(model.embed(pad_sentences({{}})).isfinite().all().item<bool>());
  }
  Infersent zero(small(Pooling::kV1Zero), kInputs), exact(small(Pooling::kExact), kInputs);
  CHECK(at::allclose(zero.embed(among), exact.embed(among).clamp_min(0)));
  // v1_batch: all but the longest include the zeros.
  Infersent batch(small(Pooling::kV1Batch), kInputs);
  CHECK(at::allclose(batch.embed(among).slice(0, 1), zero.embed(among).slice(0, 1)));
  CHECK(at::allclose(batch.embed(among)[0], exact.embed(among)[0]));
  CHECK(zero.embedding_signature() == "pool:v1_zero");
}

TEST_CASE("infersent: features of a pair", "[infersent]") {
  // Specification 4, section 7.8.
  const at::Tensor u = at::tensor({1., -2.}, at::kDouble).view({1, 2});
  const at::Tensor v = at::tensor({.5, 3.}, at::kDouble).view({1, 2});
  CHECK(at::equal(pair_features(u, v),
                  at::tensor({1., -2., .5, 3., .5, 5., .5, -6.}, at::kDouble).view({1, 8})));
}

TEST_CASE("infersent: the loss equals that of a classifier on [u, v, |u - v|, u * v]",
          "[infersent]") {
  Infersent model(small(), kInputs);
  model.to(at::kDouble);
  FakeContext context(true);
  const Batch batch = pairs();
  const Sums sums = model.losses(model.phases()[0], {batch}, context);
  const auto parameters = model.named_parameters();
  const at::Tensor u = model.embed(batch.tokens("premise"));
  const at::Tensor v = model.embed(batch.tokens("hypothesis"));
  at::Tensor logits = at::cat({u, v, (u - v).abs(), u * v}, 1);
  for (const std::string layer : {"classifier_0", "classifier_1", "classifier_2"}) {
    logits = at::linear(logits, parameters[layer + ".weight"], parameters[layer + ".bias"]);
  }
  double nll = 0, wrong = 0;
  for (int64_t row = 0; row < 4; ++row) {
    const int64_t label = batch.field("label")[row].item<int64_t>();
    nll -= (logits[row][label] - logits[row].exp().sum().log()).item<double>();
    wrong += logits[row].argmax().item<int64_t>() != label;
  }
  CHECK(sums[0].item<double>() == Approx(nll).epsilon(1e-12));
  CHECK(sums[1].item<double>() == wrong);
}

TEST_CASE("infersent: given word vectors can be frozen", "[infersent]") {
  InfersentOptions options = small();
  const auto updates = [&] { return Infersent(options, kInputs).phases()[0].updates[0].groups; };
  CHECK(updates() == std::vector<std::string>{"encoder", "classifier", "words"});
  options.train_words = false;
  CHECK(updates() == std::vector<std::string>{"encoder", "classifier"});
}
