// Evaluators of token records, on records written by hand.
#include "evaluators/token_scores/token_scores_evaluator.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "evaluators/metrics/token_metrics.h"
#include "evaluators/token_scores/records.h"
#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;
using namespace lvtext::testing;
using Catch::Matchers::Contains;

namespace {

/// Records of one text.
struct TextRecords {
  std::vector<float> probability, squares, support;
  TokenIds context = {}, target = {}, drawn = {};
  std::vector<float> repeated = {};  ///< in a window of 16 tokens; empty: not recorded
};

/// A token is written as its number and a blank.
std::shared_ptr<const Tokenizer> numbers() {
  return fixed_tokenizer(
      [](std::span<const int32_t> ids) {
        std::string text;
        for (const int32_t id : ids) text += std::to_string(id) + " ";
        return text;
      },
      {}, "123456789a");
}

Dataset written(const std::filesystem::path& file, const std::vector<TextRecords>& texts,
                float vocabulary) {
  const auto number = [](const char* name, bool ragged) {
    return ColumnDecl{.name = name, .kind = ColumnKind::kNumber, .ragged = ragged};
  };
  const auto words = [](const char* name) {
    return ColumnDecl{.name = name, .vocabulary = numbers()->vocabulary()};
  };
  std::vector<ColumnDecl> columns = {number("vocabulary", false),
                                     number("probability", true),
                                     number("squares", true),
                                     number("support", true),
                                     words("context"),
                                     words("target"),
                                     words("drawn")};
  const bool has_repeated = !texts.front().repeated.empty();
  if (has_repeated) columns.push_back(number("repeated_16", true));
  DatasetWriter writer(file, columns);
  for (const TextRecords& text : texts) {
    writer.add_numbers(0, {&vocabulary, 1});
    const std::vector<float>* columns[] = {&text.probability, &text.squares, &text.support};
    for (size_t c = 0; c < 3; ++c) {
      for (const float value : *columns[c]) writer.add_numbers(c + 1, {&value, 1});
    }
    writer.add_text(4, text.context);
    writer.add_text(5, text.target);
    writer.add_text(6, text.drawn);
    for (const float value : text.repeated) writer.add_numbers(7, {&value, 1});
    writer.end_row();
  }
  writer.finish();
  return Dataset(file);
}

/// p(x) of the texts; the other numbers and the tokens do not matter.
std::vector<TextRecords> probabilities(const std::vector<std::vector<float>>& texts) {
  std::vector<TextRecords> all;
  for (const auto& p : texts) {
    const TokenIds ids(p.size(), 4);
    all.push_back({p, p, p, {}, ids, ids});
  }
  return all;
}

Inputs given(const TemporaryFolder& folder, const std::vector<TextRecords>& tokens,
             const std::vector<TextRecords>& fitted_on = {}, float vocabulary = 10) {
  Inputs inputs;
  inputs.add("tokens", written(folder / "tokens", tokens, vocabulary), false, numbers());
  if (!fitted_on.empty()) {
    inputs.add("fitted_on", written(folder / "fitted_on", fitted_on, vocabulary), false, numbers());
  }
  return inputs;
}

double value(const std::vector<Score>& scores, const std::string& id) {
  const Score* score = find_score(scores, id);
  REQUIRE(score);
  return score->value;
}

}  // namespace

TEST_CASE("token scores: means over all tokens, resampled by texts", "[evaluators]") {
  const TemporaryFolder folder;
  const Inputs inputs = given(folder, {{{.5, .3}, {.38, .38}, {3, 3}, {7}, {4, 5}, {4, 5}},
                                       {{.2}, {.38}, {3}, {7}, {4}, {4}},
                                       {{}, {}, {}, {7}, {}, {}}});
  const auto sp = SparsemaxScore({}).evaluate(inputs);
  REQUIRE(sp.size() == 1);
  CHECK(sp[0].value == Approx((.81 + .61 + .51) / 3).epsilon(1e-7));
  CHECK(sp[0].n == 3);
  CHECK(sp[0].direction == Direction::kHigher);
  CHECK(sp[0].signature ==
        "sparsemax_score|vocabulary:10|n_texts:3|n_tokens:3|longest:3|context:text,given:1|"
        "tok:subword,12345678|version:1");
  REQUIRE(sp[0].interval);
  CHECK(sp[0].interval->lo == Approx(.51).epsilon(1e-7));  // resamples of the second text
  CHECK(sp[0].interval->hi == Approx(.71).epsilon(1e-7));
  const auto js = ReferenceJs({}).evaluate(inputs);
  CHECK(js[0].value == Approx((.21576155 + .34201449 + .42281046) / 3).epsilon(1e-7));
  CHECK(js[0].direction == Direction::kLower);
}

TEST_CASE("token scores: a reference of probability 0 gives finite numbers", "[evaluators]") {
  const TemporaryFolder folder;
  const auto records = probabilities({{.5, .25}, {0, .1}});
  const Inputs inputs = given(folder, records, records);
  CHECK(std::isfinite(SparsemaxScore({}).evaluate(inputs)[0].value));
  CHECK(std::isfinite(ReferenceJs({}).evaluate(inputs)[0].value));
  const auto scores = EpsilonPerplexity({}).evaluate(inputs);
  CHECK(value(scores, "perplexity") == Approx(7.85090984).epsilon(1e-7));
  CHECK(value(scores, "optimum") == Approx(7.85090984).epsilon(1e-7));
  CHECK(value(scores, "epsilon") == Approx(.08919729308).epsilon(1e-6));
  // Each token is written as two bytes.
  CHECK(value(scores, "nats_per_byte") == Approx(std::log(7.85090984) / 2).epsilon(1e-7));
  CHECK(scores[0].interval);
}

TEST_CASE("token scores: epsilon is fitted to other records, and its source is in the signature",
          "[evaluators]") {
  const TemporaryFolder folder;
  const auto tokens = probabilities({{.5, .25}, {0, .1}});
  const auto scores =
      EpsilonPerplexity({}).evaluate(given(folder, tokens, probabilities({{.9, .8, .05, .01}})));
  const double weight = .3932294416;  // of the other records
  double nats = 0;
  for (const double p : {.5, .25, 0., .1}) nats -= std::log((1 - weight) * p + weight / 10) / 4;
  CHECK(value(scores, "perplexity") == Approx(std::exp(nats)).epsilon(1e-6));
  CHECK(value(scores, "epsilon") == Approx(.06480694164).epsilon(1e-6));
  CHECK(value(scores, "optimum") < value(scores, "perplexity"));
  CHECK_THAT(scores[0].signature, Contains("|epsilon:best_on[n_tokens:4]|"));
  CHECK_THAT(find_score(scores, "optimum")->signature, Contains("|epsilon:best_on[itself]|"));
  CHECK_THROWS_WITH(
      [&] {
        const TemporaryFolder other;
        Inputs inputs = given(folder, tokens);
        inputs.add("fitted_on", written(other / "x", tokens, 11), false, numbers());
        EpsilonPerplexity({}).evaluate(inputs);
      }(),
      Contains("`tokens` has a vocabulary of 10 tokens and `fitted_on` one of 11"));
}

TEST_CASE("token scores: epsilon 0 is the perplexity, undefined with impossible tokens",
          "[evaluators]") {
  const TemporaryFolder folder;
  CHECK(EpsilonPerplexity({.epsilon = 0}).inputs().size() == 1);
  const auto plain =
      EpsilonPerplexity({.epsilon = 0}).evaluate(given(folder, probabilities({{.5, .125}})));
  CHECK(value(plain, "perplexity") == Approx(4));
  CHECK(value(plain, "epsilon") == 0);
  CHECK_THAT(plain[0].signature, Contains("|epsilon:0|"));
  const auto records = probabilities({{.5, 0}});
  const auto undefined = EpsilonPerplexity({.epsilon = 0}).evaluate(given(folder, records));
  CHECK(std::isnan(undefined[0].value));
  CHECK(undefined[0].reason == "1 of 2 tokens have the probability 0, and epsilon is 0");
  CHECK(value(undefined, "optimum") < 10);
  // All impossible: the best epsilon is infinite, and the perplexity that of guessing.
  const auto zeros = probabilities({{0, 0}});
  const auto uniform = EpsilonPerplexity({}).evaluate(given(folder, zeros, zeros));
  CHECK(value(uniform, "perplexity") == Approx(10));
  CHECK(std::isnan(value(uniform, "epsilon")));
  CHECK_THAT(find_score(uniform, "epsilon")->reason, Contains("infinite"));
}

TEST_CASE("token scores: for one-hot distributions JS is (1 - sp) ln 2", "[evaluators]") {
  const TemporaryFolder folder;
  std::vector<TextRecords> texts;
  for (int i = 0; i < 30; ++i) {
    TextRecords text{{}, std::vector<float>(20, 1), std::vector<float>(20, 1)};
    for (int t = 0; t < 20; ++t) text.probability.push_back(i * t % 7 < 3 ? 1 : 0);
    text.target = text.drawn = TokenIds(20, 4);
    texts.push_back(std::move(text));
  }
  const Inputs inputs = given(folder, texts);
  const double sp = SparsemaxScore({}).evaluate(inputs)[0].value;
  CHECK(sp > 0.2);
  CHECK(sp < 0.8);
  CHECK(std::abs(ReferenceJs({}).evaluate(inputs)[0].value - (1 - sp) * std::numbers::ln2) < 1e-6);
}

TEST_CASE("token scores: repetitions by window, of targets or of all tokens", "[evaluators]") {
  const TemporaryFolder folder;
  const std::vector<float> any(8, .5);
  const Inputs inputs =
      given(folder, {{any, any, any, {5}, {5, 7, 5, 9, 7, 7, 2, 5}, {5, 5, 9, 5, 7, 2, 7, 9}},
                     {{.5, .5}, {.5, .5}, {.5, .5}, {8}, {4, 4}, {8, 4}}});
  const auto four = Repetition({.windows = {1, 2, 4, 16}}).evaluate(inputs);
  // The second text adds one repetition of two tokens at every window.
  CHECK(value(four, "rep") == Approx((3 + 3 + 5 + 5 + 4 * 1) / 4.0 / 10));
  CHECK(value(four, "wrep") == Approx((3 + 3 + 4 + 4) / 4.0 / 10));
  CHECK(value(four, "human") == Approx((1 + 2 + 3 + 4 + 4 * 1) / 4.0 / 10));
  CHECK(value(four, "rep_16") == Approx(.6));
  CHECK(find_score(four, "rep_32") == nullptr);
  CHECK_THAT(four[0].signature, Contains("|in:targets|windows:1,2,4,16|score:rep"));
  const auto full =
      Repetition({.windows = {1}, .context = RepetitionContext::kFull}).evaluate(inputs);
  CHECK(value(full, "rep") == Approx((4 + 2) / 10.0));
  CHECK_THAT(full[0].signature, Contains("|in:full|windows:1|"));
}

TEST_CASE("token scores: the expectation of repetitions", "[evaluators]") {
  const TemporaryFolder folder;
  const std::vector<float> any(3, .5);
  const TokenIds ids(3, 4);
  const Inputs inputs = given(folder, {{any, any, any, {}, ids, ids, {0, .5, .25}},
                                       {{.5}, {.5}, {.5}, {}, {4}, {4}, {.75}}});
  const auto known = Repetition({.windows = {16}}).evaluate(inputs);
  CHECK(value(known, "expected") == Approx(1.5 / 4));
  CHECK(value(known, "expected_16") == Approx(1.5 / 4));
  // Not of all windows, and not of the tokens that are given.
  const auto partly = Repetition({.windows = {16, 32}}).evaluate(inputs);
  CHECK(find_score(partly, "expected") == nullptr);
  CHECK(value(partly, "expected_16") == Approx(1.5 / 4));
  const auto full =
      Repetition({.windows = {16}, .context = RepetitionContext::kFull}).evaluate(inputs);
  CHECK(find_score(full, "expected") == nullptr);
  CHECK(find_score(full, "expected_16") == nullptr);
}

TEST_CASE("token scores: sizes of supports", "[evaluators]") {
  const TemporaryFolder folder;
  const TokenIds ids(2, 4);
  const Inputs inputs = given(folder, {{{.5, .5}, {.5, .5}, {1, 3}, {}, ids, ids},
                                       {{.5, .5}, {.5, .5}, {10, 50257}, {}, ids, ids}});
  const auto scores = SupportSize({}).evaluate(inputs);
  CHECK(scores[0].id == "mean");
  CHECK(scores[0].value == Approx(12567.75));
  CHECK(value(scores, "median") == 6.5);
  // Population standard deviation.
  CHECK(value(scores, "sd") == Approx(21759.89889).epsilon(1e-8));
  CHECK(value(scores, "min") == 1);
  CHECK(value(scores, "max") == 50257);
}

TEST_CASE("token scores: without tokens they are undefined, with a reason", "[evaluators]") {
  const TemporaryFolder folder;
  const std::vector<TextRecords> nothing = {{{}, {}, {}, {}, {}, {}}};
  const Inputs inputs = given(folder, nothing, nothing);
  for (const auto& scores :
       {SparsemaxScore({}).evaluate(inputs), ReferenceJs({}).evaluate(inputs),
        SupportSize({}).evaluate(inputs), EpsilonPerplexity({}).evaluate(inputs),
        Repetition({}).evaluate(inputs)}) {
    for (const Score& score : scores) {
      INFO(score.id);
      CHECK(std::isnan(score.value));
      CHECK(score.reason == "there are no tokens");
    }
  }
}

TEST_CASE("token scores: datasets that are not token records are refused", "[evaluators]") {
  const TemporaryFolder folder;
  DatasetWriter writer(folder / "x", {{.name = "probability", .kind = ColumnKind::kNumber}});
  writer.finish();
  Inputs inputs;
  inputs.add("tokens", Dataset(folder / "x"));
  CHECK_THROWS_WITH(SparsemaxScore({}).evaluate(inputs),
                    Contains("has no column of numbers 'squares', so that it is not a result of "
                             "token_records or spread_records; its columns are probability"));
}

TEST_CASE("token scores: means over texts", "[evaluators]") {
  const TemporaryFolder folder;
  const auto texts = probabilities({{.5, .25, .0625}, {.2}, {}, {0, .1}});
  const Inputs inputs = given(folder, texts, texts);
  const TokenMeanOptions over{.mean = MeanOver::kTexts};
  // The squares are the probabilities: p + (1 - p) / 2.
  const auto sp = SparsemaxScore(over).evaluate(inputs);
  const double mean_p = ((.5 + .25 + .0625) / 3 + .2 + .05) / 3;
  CHECK(sp[0].value == Approx(.5 + mean_p / 2).epsilon(1e-7));
  CHECK(sp[0].signature.find("|mean:texts") != std::string::npos);
  CHECK(SparsemaxScore({}).evaluate(inputs)[0].signature.find("mean") == std::string::npos);
  const auto js = ReferenceJs(over).evaluate(inputs);
  double expected = 0;
  for (const auto& [p, weight] :
       {std::pair(.5, 9.), {.25, 9.}, {.0625, 9.}, {.2, 3.}, {.0, 6.}, {.1, 6.}}) {
    expected += reference_js(p) / weight;
  }
  CHECK(js[0].value == Approx(expected).epsilon(1e-6));
  // The best epsilon is that of the mean over texts.
  EpsilonPerplexityOptions options;
  options.mean = MeanOver::kTexts;
  const auto scores = EpsilonPerplexity(options).evaluate(inputs);
  CHECK(value(scores, "perplexity") == value(scores, "optimum"));
  CHECK(find_score(scores, "nats_per_byte") == nullptr);
  const auto at = [&](double epsilon) {
    EpsilonPerplexityOptions fixed;
    fixed.mean = MeanOver::kTexts;
    fixed.epsilon = epsilon;
    return value(EpsilonPerplexity(fixed).evaluate(inputs), "perplexity");
  };
  const double best = value(scores, "epsilon");
  CHECK(at(best) == Approx(value(scores, "perplexity")));
  CHECK(at(best * 1.1) > at(best));
  CHECK(at(best * 0.9) > at(best));
  double nats = 0;
  for (const auto& [p, weight] :
       {std::pair(.5, 9.), {.25, 9.}, {.0625, 9.}, {.2, 3.}, {.0, 6.}, {.1, 6.}}) {
    nats -= std::log((p + best) / (1 + 10 * best)) / weight;
  }
  CHECK(value(scores, "perplexity") == Approx(std::exp(nats)).epsilon(1e-6));
}
