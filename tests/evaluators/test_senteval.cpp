// The evaluator senteval: cases of the fourth paper's specification, logistic regression beside
// scikit-learn, folds, protocols.
#include <ATen/ATen.h>

#include <cmath>
#include <random>

#include "evaluators/senteval/folds.h"
#include "evaluators/senteval/probe_bank.h"
#include "evaluators/senteval/relatedness.h"
#include "evaluators/senteval/senteval_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/model/capabilities.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"

using namespace lvtext;

namespace {

/// The evaluations until an early stop, and the best value.
std::pair<int64_t, double> evaluations(int64_t tenacity) {
  EarlyStop stop(tenacity);
  int64_t count = 0;
  for (const double value : {.50, .60, .60, .61, .60, .62, .61, .60, .61, .60, .70}) {
    stop.add(value);
    ++count;
    if (stop.is_over()) break;
  }
  return {count, stop.best()};
}

/// Rows whose features and classes the test of scikit-learn has, too: 60 of 3 features.
struct Rows {
  at::Tensor features = at::empty({60, 3}, at::kDouble), classes = at::empty({60}, at::kLong);
  explicit Rows(int64_t count) {
    for (int64_t i = 0; i < 60; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        features[i][j] = std::sin(0.7 * static_cast<double>(i) + 1.3 * static_cast<double>(j) + 1);
      }
      const bool is_large = features[i][0].item<double>() > 0.1;
      classes[i] = ((is_large ? 1 : 0) + (i % 4 == 0 ? 1 : 0)) % count;
    }
  }
};

at::Tensor all_rows(int64_t count) {
  return at::ones({count}, at::kBool);
}

}  // namespace

TEST_CASE("senteval: the training stops at the first failure beyond the tenacity", "[senteval]") {
  // Specification 4, section 7.8.
  CHECK(evaluations(5) == std::pair<int64_t, double>(10, .62));
  CHECK(evaluations(3) == std::pair<int64_t, double>(8, .62));
}

TEST_CASE("senteval: scores of pairs as distributions over classes", "[senteval]") {
  const at::Tensor found = score_distributions({3.3, 5, 1, 0.6, 0}, 1);
  const at::Tensor expected = at::tensor({0., 0., .7, .3, 0.,  //
                                          0., 0., 0., 0., 1.,  //
                                          1., 0., 0., 0., 0.,  //
                                          .6, 0., 0., 0., 0.,  //
                                          0., 0., 0., 0., 0.},
                                         at::kDouble)
                                  .view({5, 5});
  CHECK(at::allclose(found, expected, 0, 1e-12));
  const at::Tensor with_zero = score_distributions({0.6, 0, 5}, 0);
  CHECK(at::allclose(with_zero.sum(1), at::ones({3}, at::kDouble), 0, 1e-12));
  CHECK(at::allclose(at::mv(with_zero, at::arange(6, at::kDouble)),
                     at::tensor({.6, 0., 5.}, at::kDouble), 0, 1e-12));
}

TEST_CASE("senteval: at convergence coefficients equal those of scikit-learn", "[senteval]") {
  // LogisticRegression(C=1 / (60 * 0.01), fit_intercept=False) with a feature of ones; of two
  // classes, half its coefficients for C=2 / (60 * 0.01).
  const ProbeTraining training{
      .batch = 60, .epoch_size = 3000, .tenacity = 0, .max_passes = 2999, .lr = 0.01};
  const auto fitted = [&](int64_t count, double l2) {
    const Rows rows(count);
    const at::Tensor all = all_rows(60);
    // The other probe must not change the first one.
    const auto both = train_probes(rows.features, rows.classes, count,
                                   {{l2, all, all}, {0.5, all, all}}, training);
    return at::cat({both[0].weight, both[0].bias.unsqueeze(1)}, 1);
  };
  const at::Tensor two = at::tensor({0.449799, 0.2383448, -0.3222851, -0.0951228}, at::kDouble);
  CHECK(at::allclose(fitted(2, 0.01), at::stack({-two, two}), 0, 1e-4));
  CHECK(at::allclose(fitted(3, 0.01),
                     at::tensor({-1.190093, -0.7772657, 0.7742577, 0.2174235,  //
                                 0.4113846, 0.194514, -0.3073201, 0.6938025,   //
                                 0.7787084, 0.5827517, -0.4669376, -0.911226},
                                at::kDouble)
                         .view({3, 4}),
                     0, 1e-4));
}

TEST_CASE("senteval: probes that are trained together do not change each other", "[senteval]") {
  const Rows rows(3);
  const at::Tensor fold = stratified_folds(rows.classes, 5, 3);
  std::vector<Probe> probes;
  for (int64_t k = 0; k < 5; ++k) {
    for (const double l2 : {1e-4, 1e-2}) probes.push_back({l2, fold.ne(k), fold.eq(k)});
  }
  const ProbeTraining training{.batch = 16, .lr = 0.05};
  const auto together = train_probes(rows.features, rows.classes, 3, probes, training);
  std::vector<int64_t> passes;
  for (size_t k = 0; k < probes.size(); ++k) {
    CAPTURE(k);
    // Alone, the update reads 16 of 48 rows; together 20 of 60, of which 16 are the probe's.
    const at::Tensor right =
        predicted_classes(together[k], rows.features).eq(rows.classes).masked_select(probes[k].dev);
    CHECK(right.to(at::kDouble).mean().item<double>() == Approx(together[k].dev_accuracy));
    passes.push_back(together[k].passes);
    CHECK(together[k].passes % 4 == 0);
  }
  // A bank without some of the probes has the same other ones, although it is compacted elsewhere.
  const auto fewer =
      train_probes(rows.features, rows.classes, 3, {probes.begin(), probes.begin() + 8}, training);
  // Both banks read all rows, with equal numbers of training rows of each probe.
  for (size_t k = 0; k < 8; ++k) {
    CHECK(at::allclose(fewer[k].weight, together[k].weight, 0, 1e-12));
    CHECK(fewer[k].passes == together[k].passes);
  }
  CHECK(*std::min_element(passes.begin(), passes.end()) <
        *std::max_element(passes.begin(), passes.end()));
}

TEST_CASE("senteval: folds are stratified, and depend on the seed", "[senteval]") {
  const at::Tensor classes = at::cat({at::zeros({23}, at::kLong), at::ones({14}, at::kLong)});
  const at::Tensor folds = stratified_folds(classes, 5, 1111);
  for (int64_t k = 0; k < 5; ++k) {
    const at::Tensor own = folds.eq(k);
    CHECK(std::abs(own.sum().item<int64_t>() - 7.4) < 1);
    CHECK(std::abs(own.masked_select(classes.eq(1)).sum().item<int64_t>() - 2.8) < 1);
  }
  CHECK(at::equal(folds, stratified_folds(classes, 5, 1111)));
  CHECK_FALSE(at::equal(folds, stratified_folds(classes, 5, 1112)));
  const at::Tensor among = folds.ne(0);
  const at::Tensor share = random_share(among, 0.05, 3);
  CHECK(share.sum().item<int64_t>() == 1);
  CHECK((share & among.logical_not()).sum().item<int64_t>() == 0);
}

namespace {

/// Reads a sentence of two numbers, "3 -1", as the vector [3, -1]; "." is [0, 0]. Each batch rounds
/// a little differently, as kernels do for other shapes.
class Points : public Model, public SentenceEmbedder {
 public:
  int64_t embedding_size() const override { return 2; }
  std::string embedding_signature() const override { return "points"; }
  at::Tensor embed(const Tokens& sentences) override {
    const at::Tensor points = sentences.ids.narrow(1, 0, 2).to(at::kFloat) - 50;
    return points * at::tensor({1.0F, 1.0F + 1e-6F * static_cast<float>(batches_++)});
  }

 private:
  int64_t batches_ = 0;
};

Inputs inputs_of(SplitRecords records) {
  Inputs inputs;
  inputs.add("encoder",
             LoadedModel{.component = "points",
                         .model = std::make_shared<Points>(),
                         .tokenizer = testing::fixed_tokenizer({}, [](std::string_view text) {
                           if (text == ".") return TokenIds{50, 50};
                           const size_t blank = text.find(' ');
                           return TokenIds{50 + std::stoi(std::string(text.substr(0, blank))),
                                           50 + std::stoi(std::string(text.substr(blank)))};
                         })});
  inputs.add("task", std::move(records));
  return inputs;
}

/// Points whose class is the sign of the first number; every `wrong`-th one (0: none) has the other
/// label.
Records classified(int64_t count, int64_t wrong, int64_t shift = 0) {
  Records records{.fields = {"text", "label"}, .labels = {{"label", {"no", "yes"}}}};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t k = i + shift;
    const int64_t x = (k % 2 == 0 ? 1 : -1) * (1 + k % 5);
    const bool is_yes = (x > 0) != (wrong > 0 && i % wrong == 0);
    records.rows.push_back(
        {std::to_string(x) + " " + std::to_string(k % 6 - 3), std::string(is_yes ? "yes" : "no")});
  }
  return records;
}

std::map<std::string, double> scores_of(const SplitRecords& records, SentevalOptions options = {},
                                        double lr = 0.5) {
  options.training.lr = lr;
  std::map<std::string, double> values;
  for (const Score& score : SentevalEvaluator(options).evaluate(inputs_of(records))) {
    CHECK(score.signature.find("senteval|model:points") == 0);
    values[score.id] = score.value;
  }
  return values;
}

Records scored(
    const std::vector<std::tuple<std::string, std::string, std::string, std::string>>& rows) {
  Records records{.fields = {"sentence_1", "sentence_2", "score", "subset"}};
  for (const auto& [first, second, score, subset] : rows) {
    records.rows.push_back({first, second, score, subset});
  }
  return records;
}

}  // namespace

TEST_CASE("senteval: the splits of a task decide the protocol", "[senteval]") {
  const auto nested = scores_of({{"train", classified(200, 0)}, {"valid", {}}, {"test", {}}});
  CHECK(nested.at("accuracy") > 97);
  CHECK(nested.at("deviation") < 5);
  // Labels at random: what is scored was not trained on.
  Records noise = classified(200, 0);
  std::mt19937 random(1);
  for (Record& row : noise.rows) row[1] = std::string(random() % 2 == 0 ? "yes" : "no");
  const auto guessed = scores_of({{"train", noise}});
  CHECK(guessed.at("accuracy") < 65);
  CHECK(guessed.at("deviation") > 3);
  CHECK(nested.contains("f1"));
  const auto fixed = scores_of({{"train", classified(100, 200, 1)},
                                {"valid", classified(20, 200, 1)},
                                {"test", classified(40, 8)}});
  CHECK(fixed.at("accuracy") == Approx(100 * 35.0 / 40));
  CHECK_FALSE(fixed.contains("deviation"));
  const auto tested = scores_of({{"train", classified(100, 200, 1)}, {"test", classified(40, 8)}});
  CHECK(tested.at("accuracy") == Approx(100 * 35.0 / 40));
  CHECK_THROWS_WITH(scores_of({{"train", {.fields = {"text"}, .rows = {{"1 1"}}}}}),
                    Catch::Matchers::Contains("the fields are text"));
}

TEST_CASE("senteval: F1 is that of the second class", "[senteval]") {
  // Specification 4, section 7.8: y = (1, 1, 0, 1, 0), prediction (1, 0, 0, 1, 1).
  Records test{.fields = {"text", "label"}, .labels = {{"label", {"no", "yes"}}}};
  for (const auto& [text, label] :
       {std::pair("3 0", "yes"), {"-3 0", "yes"}, {"-2 0", "no"}, {"2 0", "yes"}, {"4 0", "no"}}) {
    test.rows.push_back({std::string(text), std::string(label)});
  }
  const auto scores = scores_of({{"train", classified(100, 200, 1)}, {"test", test}});
  CHECK(scores.at("f1") == Approx(66.66666667));
  CHECK(scores.at("accuracy") == Approx(60));
}

TEST_CASE("senteval: similarity is scored by subset; an empty sentence is a period", "[senteval]") {
  const auto scores = scores_of({{"train", scored({{"1 0", "1 0", "5", "a"},
                                                   {"1 0", "0 1", "1", "a"},
                                                   {"1 0", "1 1", "2", "a"},
                                                   {"1 0", "-1 0", "0", "a"},
                                                   {"1 0", "1 0", "0", "b"},
                                                   {"1 0", "", "5", "b"}})}});
  const double of_a = scores.at("pearson") * 2 + 1;  // of b it is -1
  CHECK(of_a > 0.8);
  CHECK(of_a < 1);
  CHECK(scores.at("spearman") == Approx(0));
  CHECK(scores.at("pearson_weighted") == Approx((4 * of_a - 2) / 6));
  CHECK(scores.at("spearman_weighted") == Approx(2.0 / 6));
}

TEST_CASE("senteval: pairs of equal sentences share a rank", "[senteval]") {
  SentevalOptions options;
  options.together = 1;
  const auto scores = scores_of({{"train", scored({{"3 7", "3 7", "5", "a"},
                                                   {"1 0", "0 1", "0", "a"},
                                                   {"7 -5", "7 -5", "4", "a"},
                                                   {"3 7", "3 7", "3", "a"}})}},
                                options);
  // Ranks 3, 1, 3, 3 of the cosines and 4, 1, 3, 2 of the scores.
  CHECK(scores.at("spearman") == Approx(3 / std::sqrt(15)));
}

TEST_CASE("senteval: relatedness is learned from pairs", "[senteval]") {
  std::vector<std::tuple<std::string, std::string, std::string, std::string>> rows;
  for (int i = 0; i < 60; ++i) {
    const int u = i % 5, distance = (i * 7) % 5;
    rows.emplace_back(std::to_string(u) + " 1", std::to_string(u + distance) + " 1",
                      std::to_string(5 - distance), "");
  }
  const SplitRecords records = {
      {"train", scored(rows)}, {"valid", scored(rows)}, {"test", scored(rows)}};
  const auto scores = scores_of(records, {}, 0.05);
  CHECK(scores.at("pearson") > 0.9);
  CHECK(scores.at("mse") < 0.4);
  SentevalOptions cosine;
  cosine.similarity = Similarity::kCosine;
  CHECK_FALSE(scores_of(records, cosine).contains("mse"));
}
