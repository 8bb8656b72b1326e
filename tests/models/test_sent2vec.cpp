// Sentence vectors of words and n-grams: hashes, probabilities, one fit by hand, and whole fits.
#include "models/sent2vec/sent2vec.h"

#include <ATen/ATen.h>

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/datasets/batches.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/text/words.h"
#include "models/skip_gram/alias_table.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

std::vector<int64_t> buckets(const std::vector<uint64_t>& codes, int64_t longest, int64_t of,
                             const std::vector<bool>& dropped = {}) {
  std::vector<int64_t> all;
  for_each_ngram(codes, dropped, longest, of, [&](int64_t bucket) { all.push_back(bucket); });
  return all;
}

Text text_of_words(const std::vector<std::string>& lines) {
  const auto words = std::make_shared<const Words>(Words::count(lines, {}));
  std::vector<TokenIds> ids;
  for (const auto& line : lines) ids.push_back(words->encode(line));
  return {std::move(ids), words};
}

std::shared_ptr<Sent2vec> fitted(
    const Sent2vecOptions& options, const Text& text, uint64_t seed = 1,
    const Notify& progress = [](const std::string&) {}) {
  Inputs inputs;
  inputs.add("data", text);
  auto model = std::make_shared<Sent2vec>(
      options,
      ModelInputs{.seed = seed,
                  .streams = {{"data", {{.vocabulary = text.tokenizer()->vocabulary()}}}}});
  model->fit(inputs, progress);
  return model;
}

at::Tensor embedded(Sent2vec& model, const Text& text, const std::vector<std::string>& lines) {
  std::vector<TokenIds> ids;
  for (const auto& line : lines) ids.push_back(text.tokenizer()->encode(line));
  return model.embed(pad_sentences(ids));
}

Text two_topics() {
  const std::vector<std::vector<std::string>> topics = {
      {"apple", "pear", "plum", "grape", "melon", "peach"},
      {"engine", "wheel", "brake", "gear", "axle", "clutch"}};
  std::vector<std::string> lines;
  for (uint64_t i = 0; i < 400; ++i) {
    std::string line = "the";
    for (uint64_t k = 0; k < 4; ++k) line += " " + topics[i % 2][mix_bits(i, k, 0) % 6];
    lines.push_back(line);
  }
  return text_of_words(lines);
}

const Sent2vecOptions kSmall = {
    .width = 20, .epochs = 20, .buckets = 1000, .negatives = 5, .subsample = 0};

}  // namespace

TEST_CASE("sent2vec: buckets of n-grams", "[sent2vec]") {
  CHECK(buckets({7, 11}, 2, 2000000) == std::vector<int64_t>{345608});
  CHECK(buckets({7, 11}, 2, 4000000) == std::vector<int64_t>{345608});
  CHECK(buckets({7, 11, 13}, 3, 2000000) ==
        std::vector<int64_t>{345608, 1012581, buckets({11, 13}, 2, 2000000).at(0)});
  CHECK(buckets({7, 11, 13}, 1, 2000000).empty());
  CHECK(buckets({7}, 2, 2000000).empty());
  CHECK(buckets({}, 2, 2000000).empty());
  // N-grams neither begin at a dropped position nor go beyond it.
  CHECK(buckets({7, 11, 13, 17}, 3, 1000, {false, true, false, false}) ==
        buckets({13, 17}, 3, 1000));
}

TEST_CASE("sent2vec: probabilities of words", "[sent2vec]") {
  CHECK(prediction_probability(1000, 1000000, 5e-6) == Approx(.0757106781));
  CHECK(prediction_probability(50, 1000000, 5e-6) == Approx(.4162277660));
  CHECK(prediction_probability(5, 1000000, 5e-6) == Approx(2));
  CHECK(std::isinf(prediction_probability(5, 1000000, 0)));
  // Noise words: counts 100, 25, 9, 1.
  const AliasTable table(std::vector<double>{10, 5, 3, 1});
  const std::vector<double> expected = {.52631579, .26315789, .15789474, .05263158};
  constexpr uint64_t kDraws = 200000;
  std::vector<double> drawn(4);
  for (uint64_t i = 0; i < kDraws; ++i) drawn[table.draw(mix_bits(3, i, 0))] += 1.0 / kDraws;
  for (size_t i = 0; i < 4; ++i) CHECK(drawn[i] == Approx(expected[i]).margin(.005));
}

TEST_CASE("sent2vec: a fit of two words, repeated in float64", "[sent2vec]") {
  // Without n-grams each word is predicted from the placeholder and the other word, and the other
  // word is the only noise.
  const auto words =
      std::make_shared<const Words>(std::vector<std::string>{"a", "b"}, WordEncoding{});
  constexpr int64_t kEpochs = 30, kNoise = 2;
  constexpr double kRate = 0.5;
  const Sent2vecOptions options = {.width = 3,
                                   .epochs = kEpochs,
                                   .lr = kRate,
                                   .ngrams = 1,
                                   .negatives = kNoise,
                                   .subsample = 0,
                                   .min_target_count = 1};
  const at::Tensor end = fitted(options, Text({{4, 5}}, words))->named_buffers()["words"];
  const at::Tensor start =
      (uniform({.seed = 1, .use = noise_use("sent2vec.words")}, at::arange(7), {3}, at::kFloat) *
           2 -
       1) /
      3;
  at::Tensor inputs = start.to(at::kDouble).index_select(0, at::tensor({0, 5, 6}));
  at::Tensor outputs = at::zeros({2, 3}, at::kDouble);
  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const double rate = kRate * (1 - static_cast<double>(epoch) / kEpochs);
    for (int64_t word = 0; word < 2; ++word) {
      const int64_t other = 1 - word;
      const at::Tensor hidden = (inputs[0] + inputs[1 + other]) / 2;
      at::Tensor gradient = at::zeros({3}, at::kDouble);
      for (int64_t n = 0; n <= kNoise; ++n) {
        at::Tensor output = outputs[n == 0 ? word : other];
        const at::Tensor error = (n == 0 ? 1 : 0) - at::sigmoid(hidden.dot(output));
        gradient += rate * error * output;
        output += rate * error * hidden;
      }
      inputs[0] += gradient / 2;
      inputs[1 + other] += gradient / 2;
    }
  }
  CHECK(at::allclose(end.slice(0, 4).to(at::kDouble), inputs.slice(0, 1), 1e-4, 1e-6));
  CHECK_FALSE(at::allclose(end.slice(0, 4), start.slice(0, 5), 1e-2, 1e-2));
  CHECK(end.slice(0, 0, 4).eq(0).all().item<bool>());
}

TEST_CASE("sent2vec: sentences of two topics separate", "[sent2vec]") {
  const Text text = two_topics();
  const auto model = fitted(kSmall, text);
  const at::Tensor vectors = embedded(
      *model, text, {"the apple pear", "the plum melon grape", "the gear axle", "the brake wheel"});
  const at::Tensor units = vectors / vectors.norm(2, {1}, true);
  const at::Tensor cosines = units.matmul(units.t());
  CAPTURE(cosines);
  CHECK((cosines[0][1] > cosines[0][2] + 0.3).item<bool>());
  CHECK((cosines[2][3] > cosines[1][3] + 0.3).item<bool>());
}

TEST_CASE("sent2vec: a function of options, seed and text", "[sent2vec]") {
  const Text text = two_topics();
  Sent2vecOptions options = kSmall;
  options.epochs = 2;
  const auto tensors = [&](uint64_t seed) {
    const auto buffers = fitted(options, text, seed)->named_buffers();
    return std::vector<at::Tensor>{buffers["words"], buffers["buckets"], buffers["ngrams"]};
  };
  const auto one = tensors(1), again = tensors(1), other = tensors(2);
  for (size_t i = 0; i < one.size(); ++i) CHECK(at::equal(one[i], again[i]));
  CHECK_FALSE(at::equal(one[0], other[0]));
  CHECK(one[0].sizes() == at::IntArrayRef({17, 20}));
  CHECK(one[0].slice(0, 0, 4).eq(0).all().item<bool>());
  CHECK(one[0].slice(0, 4).ne(0).any(1).all().item<bool>());
  // Only buckets of the text's own n-grams: at most (13 words)^2.
  CHECK(one[1].numel() < 13 * 13);
  CHECK(one[2].size(0) == one[1].numel());
  CHECK((one[1].slice(0, 1) > one[1].slice(0, 0, -1)).all().item<bool>());
  options.threads = 2;
  options.epochs = 20;
  const auto model = fitted(options, text);
  CHECK(at::isfinite(embedded(*model, text, {"the apple pear"})).all().item<bool>());
}

TEST_CASE("sent2vec: a vector is the mean of words and n-grams that occur", "[sent2vec]") {
  const auto words =
      std::make_shared<const Words>(std::vector<std::string>{"a", "b", "c", "d"}, WordEncoding{});
  const Text text({{4, 5, 6}, {5, 6, 4}}, words);
  Sent2vecOptions options = kSmall;
  options.min_target_count = 1;
  options.buckets = 2000000;
  const auto model = fitted(options, text);
  const auto buffers = model->named_buffers();
  const at::Tensor word = buffers["words"].to(at::kDouble), ngram = buffers["ngrams"];
  REQUIRE(ngram.size(0) == 3);  // a b, b c, c a
  const auto row_of = [&](uint64_t first, uint64_t second) {
    const int64_t bucket = buckets({first + 1, second + 1}, 2, 2000000).at(0);
    return ngram[buffers["buckets"].eq(bucket).nonzero().item<int64_t>()].to(at::kDouble);
  };
  const at::Tensor vectors =
      model->embed(pad_sentences({{4, 5, 6}, {5, 4}, {4, 3, 5}, {7, 4}, {7}, {3, 3}, {}, {5}}));
  const auto check = [&](int64_t i, const at::Tensor& expected) {
    CHECK(at::allclose(vectors[i].to(at::kDouble), expected, 1e-6, 1e-7));
  };
  check(0, (word[4] + word[5] + word[6] + row_of(4, 5) + row_of(5, 6)) / 5);
  check(1, (word[5] + word[4]) / 2);                 // b a does not occur
  check(2, (word[4] + word[5] + row_of(4, 5)) / 3);  // unknown words are left out
  check(3, word[4]);                                 // so is d, which is not in the text
  for (const int64_t empty : {4, 5, 6}) CHECK(vectors[empty].eq(0).all().item<bool>());
  check(7, word[5]);
}

TEST_CASE("sent2vec: texts without words to predict, and stops", "[sent2vec]") {
  const auto words =
      std::make_shared<const Words>(std::vector<std::string>{"a", "b"}, WordEncoding{});
  CHECK_THROWS_WITH(fitted(kSmall, Text({{4, 4}}, words)), Contains("1 different words"));
  CHECK_THROWS_WITH(fitted(kSmall, Text({{4, 5}}, words)),
                    Contains("`min_target_count` = 20 times"));
  std::vector<std::string> reports;
  const Text text = two_topics();
  fitted(kSmall, text, 1, [&](const std::string& line) { reports.push_back(line); });
  REQUIRE_FALSE(reports.empty());
  CHECK_THAT(reports.back(), Contains("epoch 20/20 | 100 %"));
  {
    const StopSignals signals;
    request_stop(SIGTERM);
    CHECK_THROWS_AS(fitted(kSmall, text), Interrupted);
  }
  const StopSignals cleared;
}
