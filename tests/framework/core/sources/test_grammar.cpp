#include "framework/core/sources/grammar.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("grammar: probabilities of a tiny grammar sum to 1", "[data]") {
  const Grammar grammar("s = 3: A b | 1: A c A\nA ~ x y z\n");
  const std::vector<std::string> a = {"x", "y", "z"};
  double total = 0, entropy = 0;
  const auto add = [&](const std::string& text) {
    const double log_p = grammar.log_probability(text);
    total += std::exp(log_p);
    entropy -= std::exp(log_p) * log_p;
  };
  for (const auto& first : a) {
    add(first + " b");
    for (const auto& second : a) add(first + " c " + second);
  }
  CHECK(total == Approx(1.0).epsilon(1e-12));
  CHECK(entropy == Approx(grammar.entropy()).epsilon(1e-12));
  // 3/4 of the weight, times Zipf's 6/11 for x.
  CHECK(grammar.log_probability("x b") == Approx(std::log(0.75 * 6 / 11)).epsilon(1e-12));
  CHECK(grammar.mean_words() == Approx(2.25));
  CHECK(grammar.min_words() == 2);
  CHECK(grammar.max_words() == 3);
  CHECK(grammar.log_probability("x") == -std::numeric_limits<double>::infinity());
  CHECK(grammar.log_probability("x b b") == -std::numeric_limits<double>::infinity());
  CHECK(grammar.log_probability("") == -std::numeric_limits<double>::infinity());
}

TEST_CASE("grammar: an ambiguous sentence's probability is the sum over its derivations",
          "[data]") {
  const Grammar grammar("s = A | B\nA = x | y\nB = x | z");
  CHECK(std::exp(grammar.log_probability("x")) == Approx(0.5));
}

TEST_CASE("grammar: the mean cost of 20,000 news sentences is the exact entropy", "[data]") {
  const Grammar& news = Grammar::news();
  const int count = 20000;
  double sum = 0, squares = 0, words = 0;
  for (int i = 0; i < count; ++i) {
    const auto sample = news.sample(1, i);
    sum -= sample.log_probability;
    squares += sample.log_probability * sample.log_probability;
    words += static_cast<double>(std::count(sample.text.begin(), sample.text.end(), ' ') + 1);
  }
  const double mean = sum / count;
  const double error = std::sqrt((squares / count - mean * mean) / count);
  CHECK(std::abs(mean - news.entropy()) < 4 * error);
  CHECK(words / count == Approx(news.mean_words()).epsilon(0.01));
}

TEST_CASE("grammar: each news sentence has one derivation, 4 to 14 words", "[data]") {
  const Grammar& news = Grammar::news();
  CHECK(news.min_words() >= 4);
  CHECK(news.max_words() <= 14);
  CHECK(news.words().size() > 250);
  CHECK(news.words().size() < 600);
  for (int i = 0; i < 2000; ++i) {
    const auto sample = news.sample(2, i);
    CAPTURE(sample.text);
    // A second derivation would increase the sum over all derivations.
    CHECK(news.log_probability(sample.text) == Approx(sample.log_probability).epsilon(1e-9));
  }
}

TEST_CASE("grammar: a stream depends only on seed and index", "[data]") {
  const Grammar& news = Grammar::news();
  CHECK(news.sample(1, 5).text == news.sample(1, 5).text);
  int equal = 0;
  for (int i = 0; i < 100; ++i) equal += news.sample(1, i).text == news.sample(2, i).text;
  CHECK(equal < 5);
}

TEST_CASE("grammar: malformed texts are rejected with their line", "[data]") {
  CHECK_THROWS_WITH(Grammar("s = a\nb"), Contains("line 2"));
  CHECK_THROWS_WITH(Grammar("s = a |"), Contains("empty phrase"));
  CHECK_THROWS_WITH(Grammar("s = -1: a"), Contains("'-1'"));
  CHECK_THROWS_WITH(Grammar("s = a\ns = b"), Contains("twice"));
  CHECK_THROWS_WITH(Grammar("s = a s"), Contains("contains itself"));
  CHECK_THROWS_AS(Grammar(""), DataError);
}
