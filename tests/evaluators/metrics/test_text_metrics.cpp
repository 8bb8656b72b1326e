#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "evaluators/metrics/bleu.h"
#include "evaluators/metrics/diversity.h"
#include "evaluators/metrics/rouge.h"
#include "evaluators/metrics/tokenize.h"
#include "evaluators/metrics/word_overlap.h"
#include "framework/core/base/error.h"
#include "framework/core/statistics/score.h"
#include "framework/core/statistics/statistics.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

// Interns sentences with one table, as callers do.
class Sentences {
 public:
  TokenIds operator()(const std::string& text) { return interner_.ids(tokenize_whitespace(text)); }
  NgramStats pair(const std::string& hypothesis, const std::string& reference, int max_order = 3) {
    return ngram_stats((*this)(hypothesis), (*this)(reference), max_order);
  }

 private:
  TokenInterner interner_;
};

std::vector<NgramStats> three_pairs() {
  Sentences s;
  return {s.pair("the new mayor of london resigned on monday .",
                 "the mayor of london resigned monday ."),
          s.pair("apple shares rose .", "apple shares rose ."),
          s.pair("police arrested two men in the city .", "police have arrested two men .")};
}

Approx near(double value) {
  return Approx(value).margin(5e-9).epsilon(0);
}

}  // namespace

TEST_CASE("ngrams: matches, hypothesis and reference counts of known pairs", "[text_metrics]") {
  const std::vector<NgramStats> pairs = three_pairs();
  const int64_t expected[3][3][3] = {{{7, 9, 7}, {4, 8, 6}, {2, 7, 5}},
                                     {{4, 4, 4}, {3, 3, 3}, {2, 2, 2}},
                                     {{5, 8, 6}, {2, 7, 5}, {1, 6, 4}}};
  for (size_t p = 0; p < 3; ++p) {
    for (size_t n = 0; n < 3; ++n) {
      INFO("pair " << p << ", order " << n + 1);
      CHECK(pairs[p].matches[n] == expected[p][n][0]);
      CHECK(pairs[p].hypothesis[n] == expected[p][n][1]);
      CHECK(pairs[p].reference[n] == expected[p][n][2]);
    }
  }
  const NgramStats sum = total(pairs);
  CHECK(sum.hypothesis_length == 21);
  CHECK(sum.reference_length == 17);
  CHECK(sum.identical == 1);
}

TEST_CASE("ngrams: repeated words are clipped to the reference's count", "[text_metrics]") {
  Sentences s;
  const NgramStats stats = s.pair("the the the the", "the cat the dog", 4);
  CHECK(stats.matches[0] == 2);
  CHECK(stats.matches[1] == 0);
}

TEST_CASE("ngrams: several references clip to the largest count and the nearest length",
          "[text_metrics]") {
  Sentences s;
  const TokenIds hypothesis = s("a a b c");
  const std::vector<TokenIds> references{s("a b x"), s("a a y z q"), s("w")};
  const NgramStats stats = ngram_stats(hypothesis, std::span<const TokenIds>(references), 2);
  CHECK(stats.matches[0] == 3);        // a twice from the second, b once from the first
  CHECK(stats.matches[1] == 2);        // "a b", "a a"
  CHECK(stats.reference_length == 3);  // 3 and 5 are equally near to 4: the shorter is used
  CHECK(stats.reference[0] == 3);
}

TEST_CASE("ngrams: counts equal their definition, for short and long sentences", "[text_metrics]") {
  std::mt19937 random(7);
  const auto sentence = [&random](int tokens, int words) {
    TokenIds ids;
    for (int i = 0; i < tokens; ++i) ids.push_back(static_cast<int32_t>(random() % words));
    return ids;
  };
  const auto counts = [](const TokenIds& ids, int order) {
    std::map<TokenIds, int64_t> grams;
    for (size_t i = 0; i + order <= ids.size(); ++i)
      ++grams[{ids.begin() + i, ids.begin() + i + order}];
    return grams;
  };
  for (const int length : {0, 1, 2, 4, 10, 63, 64, 65, 130}) {
    for (const int words : {1, 2, 5, 40}) {
      const TokenIds hypothesis = sentence(length, words);
      const std::vector<TokenIds> references = {sentence(length + 3, words),
                                                sentence(length / 2, words), sentence(70, words)};
      const NgramStats one = ngram_stats(hypothesis, references[0], kMaxNgramOrder);
      const NgramStats all = ngram_stats(hypothesis, references, kMaxNgramOrder);
      for (int order = 1; order <= kMaxNgramOrder; ++order) {
        INFO("length " << length << ", words " << words << ", order " << order);
        int64_t of_one = 0, of_all = 0;
        for (const auto& [gram, count] : counts(hypothesis, order)) {
          int64_t most = 0;
          for (const auto& reference : references) {
            most = std::max(most, counts(reference, order)[gram]);
          }
          of_one += std::min(count, counts(references[0], order)[gram]);
          of_all += std::min(count, most);
        }
        CHECK(one.matches[order - 1] == of_one);
        CHECK(all.matches[order - 1] == of_all);
        CHECK(one.hypothesis[order - 1] == std::max(0, length - order + 1));
        CHECK(one.reference[order - 1] == std::max(0, length + 3 - order + 1));
      }
    }
  }
}

TEST_CASE("ngrams: threads do not change counts, and sentences must be aligned", "[text_metrics]") {
  std::vector<TokenIds> hypotheses;
  std::vector<TokenIds> references;
  for (int i = 0; i < 101; ++i) {
    hypotheses.push_back({i % 3, i % 5, i % 2, i % 7});
    references.push_back({i % 5, i % 2, i % 3});
  }
  const auto one = ngram_stats_of_pairs(hypotheses, references, 2, 1);
  const auto four = ngram_stats_of_pairs(hypotheses, references, 2, 4);
  CHECK(bleu_rows(one, 2) == bleu_rows(four, 2));
  references.pop_back();
  CHECK_THROWS_AS(ngram_stats_of_pairs(hypotheses, references, 2), DataError);
}

TEST_CASE("bleu: sentence, mean and corpus BLEU-3 of known pairs", "[text_metrics]") {
  const std::vector<NgramStats> pairs = three_pairs();
  const std::vector<double> scores = sentence_bleu(pairs, 3);
  CHECK(scores[0] == near(48.07498568));
  CHECK(scores[1] == near(100));
  CHECK(scores[2] == near(30.98990471));
  CHECK(mean(scores) == near(59.68829680));
  CHECK(corpus_bleu(pairs, 3) == near(50.26316274));
}

TEST_CASE("bleu: brevity, no overlap, short and empty sentences", "[text_metrics]") {
  Sentences s;
  CHECK(bleu(s.pair("police arrested men", "police arrested men in london"), 3) ==
        near(51.34171190));
  CHECK(bleu(s.pair("a b c d", "w x y z"), 3) == 0);
  CHECK(bleu(s.pair("good morning", "good morning"), 3) == 0);
  CHECK(bleu(s.pair("good morning", "good morning"), 2) == near(100));
  CHECK(bleu(s.pair("", "a b c"), 3) == 0);
  CHECK(bleu(s.pair("", ""), 1) == 0);
  CHECK(bleu(s.pair("a b c", ""), 1) == 0);
}

TEST_CASE("bleu: an empty hypothesis still adds its reference's length", "[text_metrics]") {
  Sentences s;
  const std::vector<NgramStats> pairs{s.pair("a b c", "a b c"), s.pair("", "d e f")};
  CHECK(corpus_bleu(pairs, 3) == near(100 * std::exp(-1.0)));
}

TEST_CASE("rouge: recall, F1 and the mean over orders of known pairs", "[text_metrics]") {
  const std::vector<NgramStats> pairs = three_pairs();
  CHECK(rouge_n_recall(pairs, 3)[0] == near(40));
  CHECK(rouge_n_recall(pairs, 3)[2] == near(25));
  CHECK(mean(rouge_n_recall(pairs, 3)) == near(55.0));
  CHECK(rouge_n_f(pairs, 3)[0] == near(33.33333333));
  CHECK(rouge_n_f(pairs, 3)[2] == near(20));
  CHECK(mean(rouge_n_f(pairs, 3)) == near(51.11111111));
  CHECK(rouge123_f(pairs)[0] == near(59.32539683));
  CHECK(rouge123_f(pairs)[2] == near(41.58730159));
  CHECK(mean(rouge123_f(pairs)) == near(66.97089947));
  CHECK(rouge_n(pairs[0], 1).precision == near(700.0 / 9));
}

TEST_CASE("rouge: references shorter than the order, and empty hypotheses", "[text_metrics]") {
  Sentences s;
  CHECK(rouge_n(s.pair("good morning", "good morning"), 3).f1 == 100);
  CHECK(rouge_n(s.pair("good evening", "good morning"), 3).recall == 0);
  CHECK(rouge_n(s.pair("good morning all", "good morning"), 3).f1 == 0);
  CHECK(rouge123_f(s.pair("good", "good")) == near(100));
  CHECK(rouge_n(s.pair("", "a b c"), 1).f1 == 0);
  CHECK(rouge_n(s.pair("a b", "a b c"), 3).f1 == 0);
}

TEST_CASE("diversity: distinct n-grams, unique and copied sentences, lengths", "[text_metrics]") {
  Sentences s;
  const std::vector<TokenIds> samples{s("a b a"), s("a b a"), s("a"), s("")};
  CHECK(distinct_n(samples, 1) == near(2.0 / 7));
  CHECK(distinct_n(samples, 2) == near(2.0 / 4));
  CHECK(std::isnan(distinct_n(samples, 4)));
  const std::vector<std::string> texts{"a b a", "a b a", "a", ""};
  CHECK(distinct_values(texts) == std::vector<double>{0.25, 0.25, 1.25, 1.25});
  CHECK(distinct_values({}).empty());
  CHECK(train_overlap_values(texts, std::vector<std::string>{"a", "b a"}) ==
        std::vector<double>{0, 0, 1, 0});
  CHECK(train_overlap_values(texts, std::vector<std::string>{"a b a", ""}) ==
        std::vector<double>{1, 1, 0, 1});
}

TEST_CASE("diversity: the published definitions of distinct-n", "[text_metrics]") {
  const auto units = [](const std::vector<std::string>& texts, auto tokenize) {
    TokenInterner interner;
    std::vector<TokenIds> all;
    for (const std::string& text : texts) all.push_back(interner.ids(tokenize(text)));
    return all;
  };
  const auto words =
      units({"the cat sat on the mat the cat", "a dog sat on the mat"}, tokenize_whitespace);
  const auto characters = units({"i like cats", "ok", ""}, tokenize_characters);
  const auto each_of = [](const std::vector<TokenIds>& texts, int order) {
    return distinct_n_values(texts, order, DistinctOver::kUnits);
  };
  const auto mean_of = [&](const std::vector<TokenIds>& texts, int order) {
    return mean(each_of(texts, order));
  };
  CHECK(distinct_n(words, 1, DistinctOver::kUnits) == near(.5));
  CHECK(distinct_n(words, 2, DistinctOver::kUnits) == near(.57142857));
  CHECK(distinct_n(words, 3, DistinctOver::kUnits) == near(.57142857));
  CHECK(distinct_n(words, 4, DistinctOver::kUnits) == near(.5));
  CHECK(mean_of(words, 1) == near(.8125));
  CHECK(mean_of(words, 2) == near(.79166667));
  CHECK(mean_of(words, 3) == near(.70833333));
  CHECK(mean_of(words, 4) == near(.5625));
  CHECK(each_of(characters, 1)[0] == near(.81818182));
  CHECK(each_of(characters, 1)[1] == 1);
  CHECK(each_of(characters, 2)[0] == near(.90909091));
  CHECK(each_of(characters, 2)[1] == near(.5));
  // An empty text counts as 0.
  CHECK(each_of(characters, 1)[2] == 0);
  CHECK(mean_of(characters, 1) == near((.81818182 + 1) / 3));
  CHECK(std::isnan(distinct_n(units({""}, tokenize_words), 1, DistinctOver::kUnits)));
  CHECK(distinct_types(words) == 7);
}

TEST_CASE("word F1: clipped, unclipped, and the words of ConvAI2", "[text_metrics]") {
  Sentences s;
  const TokenIds cats = s("i i i like red cats"), lots = s("i like cats a lot");
  CHECK(unclipped_token_f1(cats, lots) == near(.90909091));
  CHECK(token_f1(cats, lots) == near(.54545455));
  CHECK(unclipped_token_f1(s("a a a a a a"), s("a b")) == near(1.5));
  CHECK(token_f1(s("a a a a a a"), s("a b")) == near(.25));
  for (const auto f1 : {token_f1, unclipped_token_f1}) {
    CHECK(f1({}, lots) == 0);
    CHECK(f1(lots, {}) == 0);
    CHECK(f1(s("none"), lots) == 0);
    CHECK(f1(lots, lots) == 1);
  }
  TokenInterner interner;
  const auto f1 = [&](const char* ours, const char* theirs) {
    return token_f1(interner.ids(tokenize_convai2(ours)), interner.ids(tokenize_convai2(theirs)));
  };
  CHECK(f1("i i i like red cats", "i like cats a lot") == near(.6));
  CHECK(f1("a a a a a a", "a b") == 0);
  CHECK(tokenize_convai2("The Cat's  an-imal, (a) THEORY_.") ==
        std::vector<std::string>{"cat", "s", "imal", "theory"});
}

TEST_CASE("diversity: the deviation of the share of distinct sentences is that of new samples",
          "[text_metrics]") {
  // Samples of 300 sentences from a distribution with probabilities proportional to 1 / rank.
  constexpr size_t kDraws = 1000, kSentences = 300, kKinds = 400;
  std::vector<double> weights;
  for (size_t i = 0; i < kKinds; ++i) weights.push_back(1.0 / static_cast<double>(i + 1));
  std::mt19937 generator(1);
  std::discrete_distribution<int> kind(weights.begin(), weights.end());
  std::vector<double> shares, errors;
  for (size_t draw = 0; draw < kDraws; ++draw) {
    std::vector<std::string> sentences;
    for (size_t i = 0; i < kSentences; ++i) {
      sentences.push_back(std::to_string(kind(generator)));
    }
    const auto values = distinct_values(sentences);
    const std::set<std::string> distinct(sentences.begin(), sentences.end());
    const double share = static_cast<double>(distinct.size()) / kSentences;
    CHECK(std::abs(mean(values) - share) < 1e-12);
    shares.push_back(share);
    errors.push_back(*sample_deviation(values) / std::sqrt(static_cast<double>(kSentences)));
  }
  // The jackknife's estimate is not below the true deviation on average (Efron and Stein 1981). The
  // deviation of 1,000 shares is known to 2 %.
  const double ratio = mean(errors) / *sample_deviation(shares);
  CAPTURE(ratio);
  CHECK(ratio > 0.95);
  CHECK(ratio < 1.3);
}

TEST_CASE("bootstrap: draws are uniform and depend on seed, resample and position",
          "[text_metrics]") {
  std::vector<int> counts(5);
  for (uint64_t r = 0; r < 100; ++r) {
    for (uint64_t i = 0; i < 1000; ++i) ++counts[bootstrap_draw(7, r, i, 5)];
  }
  // 20,000 expected in each, standard deviation 126.
  for (const int count : counts) CHECK(std::abs(count - 20000) < 600);
  int equal = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    equal += bootstrap_draw(7, 0, i, 1000000) == bootstrap_draw(7, 1, i, 1000000);
    equal += bootstrap_draw(7, 0, i, 1000000) == bootstrap_draw(8, 0, i, 1000000);
    equal += bootstrap_draw(7, 0, i, 1000000) == bootstrap_draw(7, 0, i + 1, 1000000);
  }
  CHECK(equal <= 2);
}

TEST_CASE("bootstrap: the interval of a mean agrees with the normal approximation",
          "[text_metrics]") {
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(i % 20);
  const double error = *sample_deviation(values) / 20;  // sqrt(400)
  const Interval interval = bootstrap_mean_interval(values);
  CHECK(interval.lo == Approx(9.5 - 1.96 * error).margin(0.06));
  CHECK(interval.hi == Approx(9.5 + 1.96 * error).margin(0.06));
}

TEST_CASE("bootstrap: a corpus score from summed counts is independent of threads",
          "[text_metrics]") {
  const std::vector<NgramStats> pairs = three_pairs();
  const std::vector<double> rows = bleu_rows(pairs, 3);
  const auto one = bootstrap_sums(rows, 8, penalized_precision, {.threads = 1});
  CHECK(one == bootstrap_sums(rows, 8, penalized_precision, {.threads = 3}));
  CHECK(one != bootstrap_sums(rows, 8, penalized_precision, {.seed = 2}));
  REQUIRE(one.size() == 1000);
  // Resample 5 by hand.
  NgramStats sum;
  for (uint64_t i = 0; i < 3; ++i) sum += pairs[bootstrap_draw(1111, 5, i, 3)];
  CHECK(one[5] == near(bleu(sum, 3)));
  CHECK(bootstrap_means({}).empty());
}
