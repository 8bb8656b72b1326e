#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "evaluators/bleu/bleu_evaluator.h"
#include "evaluators/cross_entropy/cross_entropy_evaluator.h"
#include "evaluators/latent_statistics/latent_statistics_evaluator.h"
#include "evaluators/reconstruction/reconstruction_evaluator.h"
#include "evaluators/rouge/rouge_evaluator.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/text/special_ids.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"

using namespace lvtext;

namespace {

// p(a), p(b), p(end) after BOS .6 .3 .1, after a .1 .5 .4, after b .2 .2 .6.
class Bigrams : public TextScorer {
 public:
  at::Tensor score(const Tokens& sentences, const at::Tensor&) override {
    const std::map<int64_t, std::array<double, 3>> p = {
        {kBos, {.6, .3, .1}}, {4, {.1, .5, .4}}, {5, {.2, .2, .6}}};
    at::Tensor nll = at::zeros({sentences.rows()});
    for (int64_t i = 0; i < sentences.rows(); ++i) {
      int64_t last = kBos;
      for (int64_t t = 0; t < sentences.lengths[i].item<int64_t>(); ++t) {
        const int64_t id = sentences.ids[i][t].item<int64_t>();
        nll[i] -= std::log(p.at(last)[id - 4]);
        last = id;
      }
      nll[i] -= std::log(p.at(last)[2]);
    }
    return nll;
  }
};

}  // namespace

TEST_CASE("cross entropy: units on a model that can be computed by hand", "[evaluators]") {
  const std::vector<TokenIds> sentences = {{4, 5}, {5}, {4, 4, 5}, {}};
  Bigrams model;
  const auto nats = sentence_nats(model, sentences, 3);
  REQUIRE(nats.size() == 4);
  CHECK(std::abs(nats[0] - 1.71479843) < 1e-6);
  CHECK(std::abs(nats[2] - 4.01738352) < 1e-6);
  CHECK(std::abs(nats[3] - 2.30258509) < 1e-6);
  ScoredText text{.nats = nats, .tokens = {3, 2, 4, 1}, .tokenizer = "1a2b3c4d"};
  const auto scores = cross_entropy_scores("lm", text, 4);
  CHECK(std::abs(scores[0].value - 2.43739137) < 1e-6);
  CHECK(std::abs(scores[1].value - 0.974956548) < 1e-6);
  CHECK(std::abs(scores[2].value - 1.40656498) < 1e-6);
  CHECK(std::abs(scores[3].value - 2.65105201) < 1e-6);
  CHECK(scores[0].n == 4);
  CHECK(scores[0].signature ==
        "lm|unit:nats_per_sentence|tok:subword,1a2b3c4d|end:counted|n_sentences:4|version:4");
  REQUIRE(scores[3].interval);
  CHECK(scores[3].interval->lo < scores[3].value);
  CHECK(scores[3].interval->hi > scores[3].value);
}

TEST_CASE("bleu and rouge: the chosen variant is first, values equal those computed by hand",
          "[evaluators]") {
  const std::vector<std::string> texts = {"the new mayor of london resigned on monday .",
                                          "apple shares rose .",
                                          "police arrested two men in the city .",
                                          "the mayor of london resigned monday .",
                                          "apple shares rose .",
                                          "police have arrested two men ."};
  const Text ours({texts.begin(), texts.begin() + 3}), theirs({texts.begin() + 3, texts.end()});
  BleuOptions bleu{
      .max_order = 3, .level = BleuLevel::kSentence, .tokenize = MetricTokens::kWhitespace};
  const auto b = bleu_scores(bleu, ours, {theirs});
  CHECK(b[0].id == "sentence");
  CHECK(std::abs(b[0].value - 59.68829680) < 1e-7);
  CHECK(std::abs(b[1].value - 50.26316274) < 1e-7);
  CHECK(b[1].signature ==
        "bleu|n:3|level:corpus|tok:whitespace|smooth:none|compared:text|n_sentences:3|version:2");
  const auto r = rouge_scores({RougeVariant::k3F, MetricTokens::kWhitespace}, ours, theirs);
  CHECK(r[0].id == "rouge3_f");
  CHECK(std::abs(r[0].value - 51.11111111) < 1e-7);
  CHECK(std::abs(r[1].value - 66.97089947) < 1e-7);
  CHECK(std::abs(r[2].value - 55.0) < 1e-7);
  CHECK(r[0].signature ==
        "rouge|variant:rouge3_f|tok:whitespace|stem:no|short:equal|compared:text|n_sentences:3|"
        "version:2");
}

TEST_CASE("bleu and rouge: the signature states whether the references are decoded",
          "[evaluators]") {
  const auto words = testing::fixed_tokenizer([](std::span<const int32_t>) { return "a b"; });
  const Text outputs({"a b"}), decoded({{4, 5}}, words), written({"a b"}, {{4, 5}}, words);
  const auto signature = [&](const std::vector<Text>& references) {
    return bleu_scores({.tokenize = MetricTokens::kWhitespace}, outputs, references)[0].signature;
  };
  CHECK_THAT(signature({decoded}), Contains("|compared:decoded|"));
  CHECK_THAT(signature({written}), Contains("|compared:text|"));
  CHECK_THAT(signature({decoded, written}), Contains("|refs:2|compared:text,decoded|"));
  CHECK_THAT(rouge_scores({}, outputs, decoded)[0].signature, Contains("|compared:decoded|"));
  // The usual order is that of sacreBLEU.
  CHECK_THAT(signature({written}), Contains("bleu|n:4|"));
}

TEST_CASE("latent statistics: a constant unit is not active", "[evaluators]") {
  const at::Tensor means =
      at::tensor({1.f, 0.f, 0.05f, 1.f, 1.f, 0.f, 1.f, -1.f, 0.f}).view({3, 3});
  CHECK(active_units(means, 0.01) == 1);
  CHECK(active_units(means.narrow(0, 0, 1), 0.01) == 0);
}
