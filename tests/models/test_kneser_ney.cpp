// Interpolated n-grams with Kneser-Ney discounting.
#include "models/kneser_ney/kneser_ney.h"

#include <ATen/ATen.h>

#include <map>
#include <random>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/text/byte_bpe.h"
#include "tests/catch.h"

using namespace lvtext;
using Ids = std::vector<int32_t>;

namespace {

/// The definition, with maps of sequences: p(w | h) of interpolated Kneser-Ney.
class Definition {
 public:
  Definition(const Ids& text, int64_t order, int64_t vocabulary, double discount)
      : text_(text), order_(order), vocabulary_(vocabulary), discount_(discount) {}

  double probability(Ids history, int32_t token) const {
    while (std::ssize(history) >= order_) history.erase(history.begin());
    const auto order = std::ssize(history) + 1;
    double total = 0, own = 0, different = 0;
    for (int32_t w = 0; w < vocabulary_; ++w) {
      Ids ngram = history;
      ngram.push_back(w);
      const double count = order == order_ ? occurrences(ngram) : before(ngram);
      total += count;
      different += count > 0;
      if (w == token) own = count;
    }
    const double lower = history.empty()
                             ? 1.0 / static_cast<double>(vocabulary_)
                             : probability(Ids(history.begin() + 1, history.end()), token);
    if (total == 0) return lower;
    return (std::max(own - discount_, 0.0) + discount_ * different * lower) / total;
  }

 private:
  double occurrences(const Ids& ngram) const {
    double count = 0;
    for (size_t i = 0; i + ngram.size() <= text_.size(); ++i) {
      count += std::equal(ngram.begin(), ngram.end(), text_.begin() + static_cast<long>(i));
    }
    return count;
  }
  /// The number of different tokens before the n-gram.
  double before(const Ids& ngram) const {
    std::set<int32_t> tokens;
    for (size_t i = 1; i + ngram.size() <= text_.size(); ++i) {
      if (std::equal(ngram.begin(), ngram.end(), text_.begin() + static_cast<long>(i))) {
        tokens.insert(text_[i - 1]);
      }
    }
    return static_cast<double>(tokens.size());
  }

  Ids text_;
  int64_t order_, vocabulary_;
  double discount_;
};

/// A text of frequent and rare tokens below `most`.
Ids random_text(int64_t length, int32_t most, uint32_t seed) {
  std::mt19937 random(seed);
  Ids text;
  for (int64_t i = 0; i < length; ++i) {
    const auto a = static_cast<int32_t>(random() % most), b = static_cast<int32_t>(random() % most);
    text.push_back(std::min(a, b));
  }
  return text;
}

/// The bytes alone: 256 ids without BOS and EOS.
std::shared_ptr<const Tokenizer> bytes() {
  return std::make_shared<const ByteBpe>(std::vector<ByteBpe::Merge>{}, AddedTokens{});
}

Text text_of(std::vector<Ids> rows) {
  return {std::move(rows), bytes()};
}

/// Fits `data`, in a mixture with `domain` if it is not empty.
KneserNey fitted(const KneserNeyOptions& options, const std::vector<Ids>& data,
                 const std::vector<Ids>& domain = {}, const std::vector<Ids>& held_out = {}) {
  Inputs inputs;
  ModelInputs given;
  const auto add = [&](const char* name, const std::vector<Ids>& rows) {
    inputs.add(name, text_of(rows));
    given.streams[name] = {{.name = "text", .vocabulary = bytes()->vocabulary()}};
  };
  add("data", data);
  if (!domain.empty()) add("domain", domain);
  if (!held_out.empty()) add("held_out", held_out);
  KneserNey model(options, given);
  model.fit(inputs, [](const std::string&) {});
  return model;
}

}  // namespace

TEST_CASE("kneser_ney: probabilities of a short text computed by hand", "[kneser_ney]") {
  // a b a c, order 2, d = 0.75. Different tokens before a: {b}, b: {a}, c: {a}; before all: 3.
  // p_1(a) = p_1(b) = p_1(c) = 0.25 / 3 + 0.75 / 256, p_1 of the others = 0.75 / 256.
  const KneserNey model = fitted({.order = 2}, {{0, 1, 0, 2}});
  Ngrams ngrams(2, 256, 0.75);
  ngrams.count(Ids{0, 1, 0, 2});
  const double p1 = 0.25 / 3 + 0.75 / 256;
  CHECK(ngrams.probability({}, 0) == Approx(p1));
  CHECK(ngrams.probability({}, 7) == Approx(0.75 / 256));
  const Ids a = {0}, b = {1}, c = {2};
  // After a: b and c, once each; 2 x 0.75 / 2 of the mass is left.
  CHECK(ngrams.probability(a, 1) == Approx(0.25 / 2 + 0.75 * p1));
  CHECK(ngrams.probability(a, 0) == Approx(0.75 * p1));
  CHECK(ngrams.probability(b, 0) == Approx(0.25 + 0.75 * p1));
  CHECK(ngrams.probability(c, 1) == Approx(p1));  // nothing follows c
  CHECK(model.weight() == 1);
}

TEST_CASE("kneser_ney: rows equal the definition, add up to 1 and have no zero", "[kneser_ney]") {
  const auto order = static_cast<int64_t>(GENERATE(1, 2, 3, 4));
  const double discount = GENERATE(0.75, 0.4, 1.0);
  const Ids text = random_text(300, 12, 5);
  KneserNey model =
      fitted({.order = order, .discount = discount},
             {Ids(text.begin(), text.begin() + 100), Ids(text.begin() + 100, text.end())});
  const Definition definition(text, order, 256, discount);
  const std::vector<Ids> texts = {random_text(30, 13, 7), {3}, {}, {11, 12}};
  const Tokens tokens = pad_sentences(texts);
  const at::Tensor scores = model.text_scores(tokens);
  REQUIRE(scores.sizes() == at::IntArrayRef{30, 256});
  const at::Tensor p = scores.exp().to(at::kDouble);
  CHECK(at::allclose(p.sum(1), at::ones({30}, at::kDouble), 0, 2e-6));
  CHECK(p.min().item<double>() > 0);
  int64_t row = 0;
  std::vector<double> sums;
  for (const Ids& each : texts) {
    double sum = 0;
    for (size_t t = 1; t < each.size(); ++t, ++row) {
      const Ids history(each.begin(), each.begin() + static_cast<long>(t));
      for (int32_t w = 0; w < 16; ++w) {
        CAPTURE(row, w);
        CHECK(p[row][w].item<double>() == Approx(definition.probability(history, w)).epsilon(2e-6));
      }
      sum -= std::log(definition.probability(history, each[t]));
    }
    sums.push_back(sum);
  }
  const at::Tensor expected = at::tensor(sums);
  CHECK(at::allclose(model.score(tokens, {}).to(at::kDouble), expected, 1e-5, 1e-6));
}

TEST_CASE("kneser_ney: steps equal the scores of whole texts", "[kneser_ney]") {
  KneserNey model = fitted({.order = 3}, {random_text(400, 20, 1)});
  const Tokens texts = pad_sentences({random_text(9, 20, 2), random_text(4, 20, 3)});
  const at::Tensor all = model.text_scores(texts);
  CHECK(at::equal(all, model.NextTokenModel::text_scores(texts)));
  // After a prompt, and after rows were exchanged.
  const auto state = model.start({.rows = 2, .prompt = texts});
  state->select_rows(at::tensor({1, 0, 0}, at::kLong));
  const at::Tensor last = at::stack({texts.ids[1][3], texts.ids[0][8], texts.ids[0][8]});
  const at::Tensor next = model.step(*state, last);
  const Tokens longer = pad_sentences({random_text(9, 20, 2)});
  CHECK(at::equal(next[1], next[2]));
  auto whole = random_text(9, 20, 2);
  whole.push_back(5);
  CHECK(at::equal(next[1], model.text_scores(pad_sentences({whole}))[8]));
}

TEST_CASE("kneser_ney: the weight of a mixture maximizes the likelihood of a text",
          "[kneser_ney]") {
  const Ids broad = random_text(600, 40, 1), domain = random_text(80, 15, 2);
  const std::vector<Ids> held_out = {random_text(60, 20, 3), random_text(40, 20, 4)};
  KneserNey model = fitted({.order = 2}, {broad}, {domain}, held_out);
  const Definition a(broad, 2, 256, 0.75), b(domain, 2, 256, 0.75);
  const auto likelihood = [&](double weight) {
    double sum = 0;
    for (const Ids& text : held_out) {
      for (size_t t = 1; t < text.size(); ++t) {
        sum += std::log(weight * a.probability({text[t - 1]}, text[t]) +
                        (1 - weight) * b.probability({text[t - 1]}, text[t]));
      }
    }
    return sum;
  };
  const double best = model.weight();
  CHECK(best > 0.05);
  CHECK(best < 0.95);
  CHECK(likelihood(best) > likelihood(best - 0.02));
  CHECK(likelihood(best) > likelihood(best + 0.02));
  CHECK(-model.score(pad_sentences(held_out), {}).sum().item<double>() ==
        Approx(likelihood(best)).epsilon(1e-5));
  const at::Tensor p = model.text_scores(pad_sentences({{3, 9}})).exp();
  CHECK(p[0][9].item<double>() ==
        Approx(best * a.probability({3}, 9) + (1 - best) * b.probability({3}, 9)).epsilon(1e-5));
  CHECK(p.sum().item<double>() == Approx(1).epsilon(1e-5));
}

TEST_CASE("kneser_ney: texts and orders that cannot be counted are refused", "[kneser_ney]") {
  CHECK_THROWS_WITH(fitted({.order = 3}, {{1}, {2}}), Contains("has 2 tokens, too few"));
  CHECK_THROWS_WITH(fitted({.order = 2}, {{1, 2, 3}}, {{1, 2}}), Contains("require each other"));
  CHECK_THROWS_WITH(Ngrams(5, 50257, 0.75), Contains("the maximum order is 4"));
  CHECK_NOTHROW(Ngrams(4, 50257, 0.75));
  CHECK_NOTHROW(Ngrams(8, 256, 0.75));
}
