// Diversity of samples and use of the latent variable, on inputs whose results are computed by
// hand.
#include <ATen/ATen.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/diversity/diversity_evaluator.h"
#include "evaluators/latent_statistics/latent_statistics_evaluator.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

/// The latent vector of a sentence is a row of a table, chosen by its first token (from 4 on).
class TableEncoder : public Model, public Encoder {
 public:
  TableEncoder(at::Tensor latents, std::optional<at::Tensor> kl)
      : codes_(std::move(latents)), kl_(std::move(kl)) {}
  int64_t latent_size() const override { return codes_.size(1); }
  at::Tensor encode(const Tokens& sentences) override {
    return codes_.index_select(0, sentences.ids.select(1, 0) - 4);
  }
  at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor&, const NoiseKey&) override {
    return encode(sentences) + 100;  // evaluators must use the means and not call this
  }
  std::optional<at::Tensor> posterior_kl(const Tokens& sentences) override {
    if (!kl_) return std::nullopt;
    return kl_->index_select(0, sentences.ids.select(1, 0) - 4);
  }

 private:
  at::Tensor codes_;
  std::optional<at::Tensor> kl_;
};

/// The first unit has variance 5/3, the second 0, the third 1/300.
at::Tensor three_units() {
  return at::tensor({1.f, 0.5f, 0.f, 2.f, 0.5f, 0.1f, 3.f, 0.5f, 0.f, 4.f, 0.5f, 0.1f})
      .view({4, 3});
}

const Score* find(const std::vector<Score>& scores, const std::string& id) {
  for (const Score& score : scores) {
    if (score.id == id) return &score;
  }
  return nullptr;
}

double value(const std::vector<Score>& scores, const std::string& id) {
  const Score* score = find(scores, id);
  REQUIRE(score);
  return score->value;
}

// Lengths differ, so the order in batches differs from this one.
const std::vector<TokenIds> kSentences = {{4}, {5, 9, 9}, {6, 9}, {7, 9, 9, 9}};

/// The model and sentences of its tokenizer.
Inputs inputs_of(const std::shared_ptr<Model>& model, int64_t sentences = 4) {
  const auto tokenizer = fixed_tokenizer({});
  Inputs inputs;
  inputs.add("model", LoadedModel{.model = model, .tokenizer = tokenizer});
  inputs.add("text", Text(kSentences, tokenizer).first(sentences));
  return inputs;
}

}  // namespace

TEST_CASE("latent statistics: active units, radius and KL equal values computed by hand",
          "[evaluators]") {
  const Inputs inputs = inputs_of(
      std::make_shared<TableEncoder>(three_units(), at::tensor({1.0f, 2.0f, 3.5f, 0.5f})));
  for (const int64_t batch : {1, 3, 100}) {
    const auto scores = LatentStatisticsEvaluator({.batch = batch}).evaluate(inputs);
    INFO("batch " << batch);
    CHECK(scores[0].id == "active_units");
    CHECK(scores[0].value == 1);
    CHECK(scores[0].unit == "of 3");
    CHECK(scores[0].n == 4);
    // Norms 1.11803399, 2.06397674, 3.04138127, 4.03236903.
    CHECK(std::abs(value(scores, "radius") - 2.56394026) < 1e-6);
    CHECK(std::abs(value(scores, "kl") - 1.75) < 1e-6);
    // Per sentence in the order of the sentences, for paired comparisons.
    const std::vector<double> kl = find(scores, "kl")->rows.values;
    CHECK(kl == std::vector<double>{1.0, 2.0, 3.5, 0.5});
  }
}

TEST_CASE("latent statistics: the threshold determines which units are active", "[evaluators]") {
  const Inputs inputs = inputs_of(std::make_shared<TableEncoder>(three_units(), std::nullopt));
  const auto active = [&](double threshold) {
    return value(LatentStatisticsEvaluator({.threshold = threshold}).evaluate(inputs),
                 "active_units");
  };
  CHECK(active(0.003) == 2);
  CHECK(active(0.0034) == 1);  // n - 1 in the variance: 1/300; with n it would be 1/400
  CHECK(active(0.0026) == 2);
  CHECK(active(1.6) == 1);
  CHECK(active(1.7) == 0);
}

TEST_CASE("latent statistics: a collapsed posterior has no active unit, no KL without density",
          "[evaluators]") {
  const auto model = std::make_shared<TableEncoder>(at::full({4, 5}, 0.7f), std::nullopt);
  const auto scores = LatentStatisticsEvaluator({}).evaluate(inputs_of(model));
  CHECK(value(scores, "active_units") == 0);
  CHECK(find(scores, "kl") == nullptr);
  // One sentence has no variance.
  CHECK(value(LatentStatisticsEvaluator({.threshold = 0}).evaluate(inputs_of(model, 1)),
              "active_units") == 0);
}

namespace {

/// Subword tokens below 10 are letters; 10 has the text of 4 and 5.
std::string letters(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text += id == 10 ? "45" : std::to_string(id);
  return text;
}

Inputs inputs_of(const std::vector<TokenIds>& samples, const std::vector<TokenIds>& train) {
  const auto tokenizer = fixed_tokenizer(letters);
  Inputs inputs;
  inputs.add("samples", Text(samples, tokenizer));
  inputs.add("train", Text(train, tokenizer));
  return inputs;
}

}  // namespace

TEST_CASE("diversity: unique and copied sentences are compared as text, not as tokens",
          "[evaluators]") {
  const std::vector<TokenIds> samples = {{4, 5}, {10}, {6}, {10, 6}};
  const std::vector<TokenIds> train = {{4, 5, 6}};
  const auto scores =
      DiversityEvaluator({.samples = 100, .order = 2}).evaluate(inputs_of(samples, train));
  CHECK(std::abs(value(scores, "unique") - 75) < 1e-9);
  CHECK(std::abs(value(scores, "train_overlap") - 25) < 1e-9);
}

TEST_CASE("diversity: scores in percent equal values computed by hand, means with an interval",
          "[evaluators]") {
  // Bigrams: 45 54 45 | 45 | - | 45 | -: two distinct ones of five.
  const std::vector<TokenIds> samples = {{4, 5, 4, 5}, {4, 5}, {6}, {4, 5}, {}};
  const std::vector<TokenIds> train = {{4, 5}, {9}, {6, 6}};
  const auto scores =
      DiversityEvaluator({.samples = 100, .order = 2}).evaluate(inputs_of(samples, train));
  CHECK(scores[0].id == "distinct_n");
  CHECK(std::abs(scores[0].value - 40) < 1e-9);
  CHECK_FALSE(scores[0].interval);
  CHECK(scores[0].n == 5);
  CHECK(std::abs(value(scores, "unique") - 80) < 1e-9);
  CHECK(std::abs(value(scores, "train_overlap") - 40) < 1e-9);
  CHECK(std::abs(value(scores, "length") - 9.0 / 5) < 1e-9);
  for (const char* id : {"unique", "train_overlap", "length"}) CHECK(find(scores, id)->interval);
  CHECK(find(scores, "train_overlap")->direction == Direction::kLower);
  CHECK(find(scores, "train_overlap")->signature ==
        "diversity|train_overlap|train:3|compared:decoded|n_sentences:5|version:5");
}

TEST_CASE("diversity: only the requested number of samples, in their order", "[evaluators]") {
  const std::vector<TokenIds> samples = {{4, 5}, {4, 5}, {6, 7}, {8, 9}};
  const Inputs inputs = inputs_of(samples, {});
  const auto two = DiversityEvaluator({.samples = 2, .order = 1}).evaluate(inputs);
  CHECK(two[0].n == 2);
  CHECK(std::abs(two[0].value - 50) < 1e-9);  // 4 and 5 of four unigrams
  CHECK(std::abs(value(two, "unique") - 50) < 1e-9);
  CHECK(value(two, "train_overlap") == 0);
  const auto all = DiversityEvaluator({.samples = 4, .order = 1}).evaluate(inputs);
  CHECK(std::abs(all[0].value - 75) < 1e-9);  // 6 of 8
  // N-grams longer than any sentence: no counts.
  const auto none = DiversityEvaluator({.samples = 4, .order = 3}).evaluate(inputs);
  CHECK(std::isnan(none[0].value));
  CHECK(none[0].reason == "no sentence has 3 tokens");
}

TEST_CASE("diversity: units, denominators and pools, and the definitions that set them",
          "[evaluators]") {
  Inputs inputs;
  inputs.add("samples", Text({"The cat sat on the mat, the cat", "A dog sat on the mat",
                              "\u00C9t\u00E9 \u00e9t\u00e9!"}));
  const auto scores_of = [&](DiversityOptions options) {
    options.samples = 100;
    options.order = 1;
    return DiversityEvaluator(options).evaluate(inputs);
  };
  using enum DistinctDefinition;
  // the cat sat on mat , a dog été ! of 9 + 6 + 3 words.
  const auto corpus = scores_of({.definition = kCorpus});
  CHECK(value(corpus, "distinct_n") == Approx(100 * 10 / 18.0));
  CHECK(value(corpus, "types") == 10);
  CHECK(value(corpus, "length") == Approx(6));
  CHECK(find(corpus, "distinct_n")->signature ==
        "diversity|distinct_n|n:1|tok:word|over:units|pool:corpus|n_sentences:3|version:5");
  CHECK_FALSE(corpus.front().interval);
  // The cat sat on the mat, - A dog sat on the mat - Été été!
  const auto sequence = scores_of({.definition = kSequence});
  CHECK(value(sequence, "distinct_n") == Approx(100 * (6 / 8.0 + 1 + 1) / 3));
  CHECK(sequence.front().interval);
  // T h e c a t s o n m , and the blank; A d o g s a t n h e m and the blank; É t é ! and the
  // blank.
  const auto characters = scores_of({.definition = kCharacterReference});
  CHECK(value(characters, "distinct_n") == Approx(100 * (12 / 31.0 + 12 / 20.0 + 5 / 8.0) / 3));
  // Options replace those of the definition.
  const auto pooled = scores_of({.definition = kSequence, .pool = DistinctPool::kCorpus});
  CHECK(value(pooled, "distinct_n") == Approx(100 * 11 / 16.0));
  CHECK(find(scores_of({}), "types") == nullptr);
  CHECK(value(scores_of({.over = DistinctOver::kNgrams}), "types") == 11);
}

TEST_CASE(
    "diversity: text without ids is counted in words, without training text nothing is copied",
    "[evaluators]") {
  Inputs inputs;
  inputs.add("samples", Text({"a b a b", "a b", "c", "a b", ""}));
  const auto scores = DiversityEvaluator({.samples = 100, .order = 2}).evaluate(inputs);
  CHECK(std::abs(value(scores, "distinct_n") - 40) < 1e-9);
  CHECK(find(scores, "distinct_n")->signature ==
        "diversity|distinct_n|n:2|tok:whitespace|n_sentences:5|version:5");
  CHECK(find(scores, "length")->unit == "words");
  CHECK(find(scores, "train_overlap") == nullptr);
}
