#include "models/daae/daae.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "framework/core/text/special_ids.h"
#include "models/aae/token_deletion.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

const NoiseKey kKey{.seed = 4, .step = 9, .stream = 0, .use = noise_use("deletion")};

DaaeOptions small(double deletion, LatentKind kind = LatentKind::kGaussDet) {
  DaaeOptions options;
  options.size = ModelSize::kSmall;
  options.latent.kind = kind;
  if (kind == LatentKind::kSphere) options.latent.noise = 0.1;
  options.decoder.dropout = 0.4;
  options.deletion = deletion;
  return options;
}

/// `count` sentences of `length` tokens 4, 5, 6, ...
Tokens counting(int64_t count, int64_t length) {
  return {at::arange(4, 4 + length).repeat({count, 1}), at::full({count}, length, at::kLong)};
}

std::vector<std::vector<int64_t>> rows_of(const Tokens& sentences) {
  std::vector<std::vector<int64_t>> rows;
  for (int64_t i = 0; i < sentences.rows(); ++i) {
    const at::Tensor row = sentences.ids[i].slice(0, 0, sentences.lengths[i].item<int64_t>());
    const at::Tensor rest = sentences.ids[i].slice(0, row.size(0));
    CHECK((rest == kPad).all().item<bool>());
    rows.emplace_back(row.data_ptr<int64_t>(), row.data_ptr<int64_t>() + row.size(0));
  }
  return rows;
}

FakeContext training_context() {
  FakeContext context(true);
  context.scheduled = 0.1;
  return context;
}

/// Losses of both phases and the gradient of their sum, as one list.
std::vector<at::Tensor> everything(Aae& model, const Batch& batch) {
  FakeContext context = training_context();
  std::vector<at::Tensor> found;
  at::Tensor sum = at::zeros({});
  for (const Phase& phase : model.phases()) {
    for (const at::Tensor& loss : model.losses(phase, {batch}, context)) {
      found.push_back(loss.detach());
      sum = sum + loss;
    }
  }
  sum.backward();
  for (const auto& parameter : model.parameters()) {
    found.push_back(parameter.detach());
    found.push_back(parameter.grad());
  }
  return found;
}

}  // namespace

TEST_CASE("daae: the number of deleted tokens is binomial", "[models]") {
  constexpr int64_t kSentences = 20000, kLength = 10;
  const double p = 0.3;
  const Tokens left = delete_tokens(counting(kSentences, kLength), p, kKey, at::arange(kSentences));
  std::array<double, kLength + 1> observed{};
  std::array<double, kLength> kept{};
  for (const auto& row : rows_of(left)) {
    observed[row.size()] += 1;
    for (const int64_t id : row) kept[id - 4] += 1;
  }
  // At most two kept tokens are one class, so that each class has about thirty sentences or more.
  double chi_square = 0, expected_tail = 0, observed_tail = 0;
  for (int64_t n = 0; n <= kLength; ++n) {
    const double choose =
        std::exp(std::lgamma(kLength + 1.) - std::lgamma(n + 1.) - std::lgamma(kLength - n + 1.));
    const double expected = kSentences * choose * std::pow(1 - p, n) * std::pow(p, kLength - n);
    if (n <= 2) {
      expected_tail += expected;
      observed_tail += observed[n];
      continue;
    }
    chi_square += (observed[n] - expected) * (observed[n] - expected) / expected;
  }
  chi_square += (observed_tail - expected_tail) * (observed_tail - expected_tail) / expected_tail;
  CHECK(chi_square < 26.1);  // 8 degrees of freedom: exceeded for one key in a thousand
  // The same probability at every position: within four standard deviations.
  for (const double count : kept) {
    CHECK(std::abs(count - kSentences * (1 - p)) < 4 * std::sqrt(kSentences * p * (1 - p)));
  }
}

TEST_CASE("daae: kept tokens keep their order, and padding is never kept", "[models]") {
  Tokens sentences = counting(500, 9);
  sentences.lengths = at::arange(500) % 10;
  sentences.ids.masked_fill_(at::arange(9).unsqueeze(0) >= sentences.lengths.unsqueeze(1), kPad);
  const at::Tensor before = sentences.ids.clone();
  const Tokens left = delete_tokens(sentences, 0.4, kKey, at::arange(500));
  CHECK(sentences.ids.equal(before));
  const auto rows = rows_of(left);
  for (size_t i = 0; i < rows.size(); ++i) {
    // Tokens of a sentence ascend, so the output must ascend, too, with gaps.
    CHECK(std::is_sorted(rows[i].begin(), rows[i].end(), std::less_equal<>()));
    for (const int64_t id : rows[i]) {
      CHECK(id >= 4);
      CHECK(id < 4 + static_cast<int64_t>(i % 10));
    }
  }
  CHECK(left.lengths.sum().item<int64_t>() < sentences.lengths.sum().item<int64_t>());
}

TEST_CASE("daae: the deleted tokens of a sentence do not depend on its batch", "[models]") {
  const Tokens all = counting(40, 12);
  const auto whole = rows_of(delete_tokens(all, 0.3, kKey, at::arange(40)));
  const auto ids = at::tensor({31, 7, 12}, at::kLong);
  const Tokens some{at::cat({all.ids.index_select(0, ids), at::full({3, 5}, kPad, at::kLong)}, 1),
                    all.lengths.index_select(0, ids)};
  const auto part = rows_of(delete_tokens(some, 0.3, kKey, ids));
  CHECK(part == std::vector{whole[31], whole[7], whole[12]});
  // A shorter sentence loses the same tokens as the prefix of the same example.
  const auto first = rows_of(delete_tokens(counting(40, 5), 0.3, kKey, at::arange(40)));
  for (size_t i = 0; i < first.size(); ++i) {
    std::vector<int64_t> expected;
    for (const int64_t id : whole[i]) {
      if (id < 9) expected.push_back(id);
    }
    CHECK(first[i] == expected);
  }
  NoiseKey next = kKey;
  ++next.step;
  CHECK(rows_of(delete_tokens(all, 0.3, next, at::arange(40))) != whole);
}

TEST_CASE("daae: all tokens of a sentence may be deleted; it is read as an empty one", "[models]") {
  const Tokens none = delete_tokens(counting(6, 4), 1, kKey, at::arange(6));
  CHECK((none.lengths == 0).all().item<bool>());
  CHECK((none.ids == kPad).all().item<bool>());
  Daae model(small(1), testing::model_inputs(20, 1));
  FakeContext context = training_context();
  model.losses(model.phases()[0], {text_batch(eight_sentences())}, context);
  const std::vector<std::vector<int32_t>> empty(8);
  CHECK(context.load("latents").equal(model.encode(text_batch(empty).tokens())));
}

TEST_CASE("daae: with deletion 0 it is bitwise identical to the aae", "[models]") {
  const Batch batch = text_batch(eight_sentences());
  for (const LatentKind kind : {LatentKind::kGaussDet, LatentKind::kGauss, LatentKind::kSphere}) {
    Aae plain(small(0, kind), testing::model_inputs(20, 1));
    Daae none(small(0, kind), testing::model_inputs(20, 1));
    Daae some(small(0.3, kind), testing::model_inputs(20, 1));
    const auto expected = everything(plain, batch), found = everything(none, batch),
               other = everything(some, batch);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) CHECK(found[i].equal(expected[i]));
    CHECK_FALSE(other[0].equal(expected[0]));
  }
}

TEST_CASE("daae: latent vectors are of sentences with deletions, targets are whole sentences",
          "[models]") {
  DaaeOptions options = small(0.5);
  options.decoder.dropout = 0;  // as in score()
  Daae model(options, testing::model_inputs(20, 1));
  const Batch batch = text_batch(eight_sentences());
  FakeContext context = training_context();
  const Sums sums = model.losses(model.phases()[0], {batch}, context);
  const at::Tensor latents = context.load("latents");
  const Tokens gaps =
      delete_tokens(batch.tokens(), 0.5, context.noise("deletion"), batch.example_ids);
  CHECK(latents.equal(model.encode(gaps)));
  CHECK_FALSE(latents.equal(model.encode(batch.tokens())));
  CHECK(sums[0].item<double>() ==
        Approx(model.score(batch.tokens(), latents).sum().item<double>()).epsilon(1e-5));
}

TEST_CASE("daae: validation reads whole sentences", "[models]") {
  Daae model(small(0.5), testing::model_inputs(20, 1));
  const Batch batch = text_batch(eight_sentences());
  FakeContext context(false);
  const Sums sums = model.losses(model.phases()[0], {batch}, context);
  const at::Tensor latents = model.encode(batch.tokens());
  CHECK(context.load("latents").equal(latents));
  CHECK(sums[0].item<double>() ==
        Approx(model.score(batch.tokens(), latents).sum().item<double>()).epsilon(1e-5));
}
