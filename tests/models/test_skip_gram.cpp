// Skip-gram with negative sampling: pairs, noise, one step, and whole fits.
#include "models/skip_gram/skip_gram.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <map>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/datasets/batches.h"
#include "framework/core/text/words.h"
#include "models/skip_gram/alias_table.h"
#include "models/skip_gram/skip_gram_step.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

using Floats = std::vector<float>;

/// Extends a vector with zeros to the size that skip_gram_step() requires.
Floats padded(Floats values) {
  const auto lanes = static_cast<size_t>(kSkipGramLanes);
  values.resize((values.size() + lanes - 1) / lanes * lanes);
  return values;
}

void check_near(const Floats& values, const std::vector<double>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) CHECK(values[i] == Approx(expected[i]).margin(1e-8));
  for (size_t i = expected.size(); i < values.size(); ++i) CHECK(values[i] == 0);
}

/// The loss whose gradient a step follows, of an input vector (row 0), its positive output vector
/// (row 1) and negative ones: softplus(-v u+) + the sum of softplus(v u-).
at::Tensor negative_sampling_loss(const at::Tensor& vectors) {
  const at::Tensor products = vectors.slice(0, 1).matmul(vectors[0]);
  return at::softplus(-products[0]) + at::softplus(products.slice(0, 1)).sum();
}

/// A text of words, with the tokenizer of its words.
Text text_of_words(const std::vector<std::string>& lines) {
  const auto words = std::make_shared<const Words>(Words::count(lines, {}));
  std::vector<TokenIds> ids;
  for (const auto& line : lines) ids.push_back(words->encode(line));
  return {std::move(ids), words};
}

at::Tensor fitted(
    const SkipGramOptions& options, const Text& text, uint64_t seed = 1,
    const Notify& progress = [](const std::string&) {}) {
  Inputs inputs;
  inputs.add("data", text);
  SkipGram model(
      options,
      {.seed = seed, .streams = {{"data", {{.vocabulary = text.tokenizer()->vocabulary()}}}}});
  model.fit(inputs, progress);
  return model.vectors();
}

/// Sentences of five words each, all of one of two topics, around a common word.
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

}  // namespace

TEST_CASE("alias table: probabilities are those of the weights", "[skip_gram]") {
  // count^0.75 of 100, 50, 20, 5, and a token that never occurs.
  const std::vector<double> counts = {100, 50, 0, 20, 5};
  const std::vector<double> expected = {.50014743, .29738944, 0, .14957897, .05288415};
  std::vector<double> weights;
  for (const double count : counts) weights.push_back(std::pow(count, 0.75));
  const AliasTable table(weights);
  constexpr uint64_t kDraws = 1000000;
  std::vector<double> drawn(counts.size());
  for (uint64_t i = 0; i < kDraws; ++i) drawn[table.draw(mix_bits(7, i, 0))] += 1.0 / kDraws;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double deviation = std::sqrt(expected[i] * (1 - expected[i]) / kDraws);
    CHECK(std::abs(drawn[i] - expected[i]) <= 4.5 * deviation);
  }
  CHECK(AliasTable(std::vector<double>{0, 3, 0}).draw(~uint64_t{0}) == 1);
}

TEST_CASE("skip_gram: subsampling and learning rate", "[skip_gram]") {
  CHECK(keep_probability(5, 100000, 1e-3) == 1);
  CHECK(keep_probability(50, 100000, 1e-3) == 1);
  CHECK(keep_probability(500, 100000, 1e-3) == Approx(0.647213595).epsilon(1e-9));
  CHECK(keep_probability(5000, 100000, 1e-3) == Approx(0.161421356).epsilon(1e-8));
  CHECK(keep_probability(5000, 100000, 0) == 1);
  CHECK(skip_gram_rate(0.025, 0.25) == Approx(0.01875));
  CHECK(skip_gram_rate(0.025, 1) == Approx(2.5e-6));
}

TEST_CASE("skip_gram: pairs are within windows of 1 to the maximum", "[skip_gram]") {
  const std::vector<int32_t> sentence = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<TokenPair> pairs;
  skip_gram_pairs(sentence, 1, 3, pairs);
  CHECK(pairs.size() == 18);
  double total = 0;
  int64_t with_itself = 0;
  std::map<int32_t, int64_t> distances;  // of token 5 as the predicted one
  constexpr uint64_t kSentences = 20000;
  for (uint64_t key = 0; key < kSentences; ++key) {
    skip_gram_pairs(sentence, 5, key, pairs);
    total += static_cast<double>(pairs.size());
    for (const auto& [input, target] : pairs) {
      if (input == target) ++with_itself;
      if (target == 5 && input > 5) ++distances[input - target];
    }
  }
  CHECK(with_itself == 0);
  // The standard deviation of the number of pairs of a sentence is below 10.
  CHECK(total / kSentences == Approx(46.0).margin(4 * 10 / std::sqrt(kSentences)));
  // A token at distance d is in the window with probability (6 - d) / 5.
  for (int32_t d = 1; d <= 4; ++d) {
    CHECK(static_cast<double>(distances[d]) / kSentences == Approx((6 - d) / 5.0).margin(0.02));
  }
  skip_gram_pairs(std::vector<int32_t>{4}, 5, 0, pairs);
  CHECK(pairs.empty());
}

TEST_CASE("skip_gram: one step, computed by hand", "[skip_gram]") {
  const at::Tensor start =
      at::tensor({.1, -.2, .3, .4, 0., -.1, -.3, .2, .5, .2, .1, 0.}, at::kDouble).view({4, 3});
  CHECK(negative_sampling_loss(start).item<double>() == Approx(2.115253828).epsilon(1e-9));
  Floats v = padded({.1F, -.2F, .3F}), gradient = padded({9, 9, 9});
  Floats positive = padded({.4F, 0, -.1F});
  Floats first = padded({-.3F, .2F, .5F}), second = padded({.2F, .1F, 0});
  const std::vector<float*> outputs = {positive.data(), first.data(), second.data()};
  skip_gram_step(v.data(), outputs, std::ssize(v), .025F, gradient.data());
  check_near(v, {.10637492, -.20384995, .29225638});
  check_near(positive, {.40124375, -.0024875, -.09626875});
  check_near(first, {-.30129997, .20259995, .49610008});
  check_near(second, {.19875, .1025, -.00375});
}

TEST_CASE("skip_gram: one step is the gradient of the loss", "[skip_gram]") {
  constexpr int64_t kWidth = 48, kOutputs = 4;
  const at::Tensor start = at::sin(at::arange(kWidth * (kOutputs + 1), at::kDouble) * 1.7)
                               .view({kOutputs + 1, kWidth});  // v, u_0, u_1, ...
  const at::Tensor x = start.clone().requires_grad_();
  const at::Tensor loss = negative_sampling_loss(x);
  CHECK(loss.item<double>() > 1);
  loss.backward();
  constexpr double kRate = 0.5;
  at::Tensor stepped = start.to(at::kFloat).contiguous();
  Floats gradient(kWidth);
  float* values = stepped.mutable_data_ptr<float>();
  std::vector<float*> outputs;
  for (int64_t i = 1; i <= kOutputs; ++i) outputs.push_back(values + i * kWidth);
  skip_gram_step(values, outputs, kWidth, kRate, gradient.data());
  CHECK(at::allclose(stepped.to(at::kDouble), start - kRate * x.grad(), 1e-5, 1e-6));
}

TEST_CASE("skip_gram: a step with many output vectors, some repeated", "[skip_gram]") {
  constexpr size_t kWidth = 32;
  constexpr double kRate = 0.5;
  const std::vector<size_t> ids = {0, 3, 1, 4, 2, 3, 5, 6, 7, 8, 9, 10, 11, 0, 12};
  std::vector<Floats> rows;  // v, then the output vectors
  for (size_t i = 0; i < 14; ++i) {
    rows.emplace_back();
    for (size_t k = 0; k < kWidth; ++k) {
      rows[i].push_back(std::sin(static_cast<float>(3 * i + 7 * k) * 1.7F));
    }
  }
  std::vector<std::vector<double>> expected;
  for (const Floats& row : rows) expected.emplace_back(row.begin(), row.end());
  std::vector<double> sum(kWidth);
  for (size_t n = 0; n < ids.size(); ++n) {
    std::vector<double>& output = expected[1 + ids[n]];
    const double dot = std::inner_product(output.begin(), output.end(), expected[0].begin(), 0.0);
    const double scale = kRate * ((n == 0 ? 1 : 0) - 1 / (1 + std::exp(-dot)));
    for (size_t k = 0; k < kWidth; ++k) {
      sum[k] += scale * output[k];
      output[k] += scale * expected[0][k];
    }
  }
  for (size_t k = 0; k < kWidth; ++k) expected[0][k] += sum[k];
  std::vector<float*> outputs;
  for (const size_t id : ids) outputs.push_back(rows[1 + id].data());
  Floats gradient(kWidth);
  skip_gram_step(rows[0].data(), outputs, kWidth, kRate, gradient.data());
  for (size_t k = 0; k < kWidth; ++k) CHECK(gradient[k] == Approx(sum[k]).margin(1e-5));
  for (size_t i = 0; i < rows.size(); ++i) {
    INFO("row " << i);
    for (size_t k = 0; k < kWidth; ++k) CHECK(rows[i][k] == Approx(expected[i][k]).margin(1e-5));
  }
}

TEST_CASE("skip_gram: words of two topics separate", "[skip_gram]") {
  const Text text = two_topics();
  const at::Tensor vectors = fitted({.width = 20, .window = 3, .subsample = 0, .epochs = 20}, text);
  const auto unit = [&](const char* word) {
    const TokenIds ids = text.tokenizer()->encode(word);
    return vectors[ids.at(0)] / vectors[ids.at(0)].norm();
  };
  for (const char* fruit : {"apple", "pear", "plum", "grape"}) {
    const double same = unit(fruit).dot(unit("melon")).item<double>();
    const double other = unit(fruit).dot(unit("wheel")).item<double>();
    CAPTURE(fruit, same, other);
    CHECK(same > other + 0.3);
  }
}

TEST_CASE("skip_gram: a function of options, seed and text", "[skip_gram]") {
  const Text text = two_topics();
  const SkipGramOptions options{.width = 10, .epochs = 2};
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor one = fitted(options, text);
  at::set_num_threads(3);
  const at::Tensor again = fitted(options, text);
  at::set_num_threads(before);
  CHECK(one.sizes() == at::IntArrayRef({17, 10}));
  CHECK(at::equal(one, again));
  CHECK_FALSE(at::equal(one, fitted(options, text, 2)));
  // Special ids have zero vectors, words have not.
  CHECK(one.slice(0, 0, 4).eq(0).all().item<bool>());
  CHECK(one.slice(0, 4).ne(0).any(1).all().item<bool>());
}

TEST_CASE("skip_gram: several threads fit vectors of the same quality", "[skip_gram]") {
  const Text text = two_topics();
  const at::Tensor vectors =
      fitted({.width = 20, .window = 3, .subsample = 0, .epochs = 20, .threads = 2}, text);
  const auto row = [&](const char* word) { return vectors[text.tokenizer()->encode(word).at(0)]; };
  const auto cosine = [&](const char* a, const char* b) {
    return (row(a).dot(row(b)) / row(a).norm() / row(b).norm()).item<double>();
  };
  CHECK(cosine("apple", "melon") > cosine("apple", "wheel") + 0.3);
}

TEST_CASE("skip_gram: special ids are neither predicted nor inputs", "[skip_gram]") {
  // Without its unknown words (id 3) the second text is the first one.
  const auto words =
      std::make_shared<const Words>(std::vector<std::string>{"a", "b", "c"}, WordEncoding{});
  const SkipGramOptions options{.width = 4, .window = 2, .subsample = 0, .epochs = 3};
  const at::Tensor plain = fitted(options, Text({{4, 5}, {5, 4}}, words));
  CHECK(at::equal(plain, fitted(options, Text({{4, 3, 5}, {5, 4, 3}}, words))));
  CHECK(plain[6].eq(0).all().item<bool>());  // "c" is not in the text
  CHECK_THROWS_AS(fitted(options, Text({{3}, {}}, words)), DataError);
}

TEST_CASE("skip_gram: the unknown token as a word", "[skip_gram]") {
  const auto words =
      std::make_shared<const Words>(std::vector<std::string>{"a", "b", "c"}, WordEncoding{});
  SkipGramOptions options{.width = 4, .window = 1, .negatives = 1, .subsample = 0, .epochs = 3};
  const at::Tensor without = fitted(options, Text({{4, 3, 5}, {5, 4, 3}}, words));
  options.unknown = false;
  CHECK(at::equal(without, fitted(options, Text({{4, 3, 5}, {5, 4, 3}}, words))));
  options.unknown = true;
  const at::Tensor with = fitted(options, Text({{4, 3, 5}, {5, 4, 3}}, words));
  CHECK(without[3].eq(0).all().item<bool>());
  CHECK(with[3].ne(0).all().item<bool>());
  CHECK(with.slice(0, 0, 3).eq(0).all().item<bool>());  // the other special ids
  CHECK(with[6].eq(0).all().item<bool>());
  // "a" is predicted by unknown words alone and has them as its only possible noise.
  const at::Tensor start = fitted(options, Text({{4}, {3}}, words))[4];
  CHECK_FALSE(at::equal(fitted(options, Text({{4, 3}}, words))[4], start));
  CHECK_NOTHROW(fitted(options, Text({{3}, {}}, words)));
}

TEST_CASE("skip_gram: without passes the vectors are those at the start", "[skip_gram]") {
  const Text text = two_topics();
  const at::Tensor random = fitted({.width = 20, .epochs = 0}, text);
  CHECK(random.abs().max().item<double>() <= 0.5 / 20);
  CHECK(random.abs().max().item<double>() > 0.4 / 20);
  CHECK_FALSE(at::equal(random, fitted({.width = 20, .epochs = 0}, text, 2)));
  std::vector<std::string> reports;
  CHECK(at::equal(random, fitted({.width = 20, .epochs = 0, .threads = 2}, text, 1,
                                 [&](const std::string& line) { reports.push_back(line); })));
  CHECK(reports.empty());
  const at::Tensor still = fitted({.width = 20, .lr = 1e-12, .epochs = 1}, text);
  CHECK(at::allclose(random, still, 0, 1e-9));
  CHECK_FALSE(at::allclose(random, fitted({.width = 20, .epochs = 1}, text), 0, 1e-4));
}

TEST_CASE("skip_gram: reports its progress and stops when requested", "[skip_gram]") {
  const Text text = two_topics();
  std::vector<std::string> reports;
  fitted({.width = 4, .epochs = 2}, text, 1,
         [&](const std::string& line) { reports.push_back(line); });
  REQUIRE_FALSE(reports.empty());
  CHECK(reports.size() <= 100);
  CHECK_THAT(reports.back(), Contains("epoch 2/2 | 100 %"));
  {
    const StopSignals signals;
    request_stop(SIGTERM);
    CHECK_THROWS_AS(fitted({.width = 4}, text), Interrupted);
  }
  const StopSignals cleared;
}
