// The Fréchet distance: the numeric cases of the first paper's specification (C10), sets of every
// rank, and the floor by simulation.
#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <vector>

#include "evaluators/frechet/frechet_distance.h"
#include "evaluators/frechet/frechet_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/tensor/philox.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

at::Tensor matrix(std::initializer_list<double> values, int64_t columns) {
  return at::tensor(at::ArrayRef<double>(values.begin(), values.size()), at::kDouble)
      .reshape({-1, columns});
}

/// Vectors with exactly this mean and unbiased covariance.
at::Tensor with_moments(const at::Tensor& mean, const at::Tensor& covariance) {
  const auto [values, vectors] = at::linalg_eigh(covariance);
  const double n = 2 * static_cast<double>(mean.size(0));
  const at::Tensor steps = (vectors * values.clamp_min(0).sqrt()).t() * std::sqrt((n - 1) / 2);
  return at::cat({mean + steps, mean - steps});
}

at::Tensor random_rows(int64_t n, int64_t width, uint64_t seed) {
  return normal_step({seed}, {n, width}, at::TensorOptions(at::kDouble));
}

/// Columns scaled by powers of `ratio`, then mixed: correlated, with different variances.
at::Tensor correlated_rows(int64_t n, int64_t width, double ratio, uint64_t seed) {
  const at::Tensor scales =
      at::pow(at::full({width}, ratio, at::kDouble), at::arange(width, at::kDouble));
  return at::mm(random_rows(n, width, seed) * scales, random_rows(width, width, 77)) + 0.1;
}

/// From the definition: S_1^(1/2) and the root of S_1^(1/2) S_2 S_1^(1/2), each by eigenvectors.
double by_definition(const at::Tensor& x, const at::Tensor& y) {
  const auto covariance = [](const at::Tensor& rows) { return at::cov(rows.t()); };
  const auto [values, vectors] = at::linalg_eigh(covariance(x));
  const at::Tensor root = at::mm(vectors * values.clamp_min(0).sqrt(), vectors.t());
  const at::Tensor inner = at::mm(at::mm(root, covariance(y)), root);
  const double trace_root =
      at::linalg_eigvalsh((inner + inner.t()) / 2).clamp_min(0).sqrt().sum().item<double>();
  return (x.mean(0) - y.mean(0)).square().sum().item<double>() +
         covariance(x).trace().item<double>() + covariance(y).trace().item<double>() -
         2 * trace_root;
}

}  // namespace

TEST_CASE("frechet: Gaussians of given moments (C10)", "[frechet]") {
  const at::Tensor x =
      with_moments(at::tensor({1.0, 2.0}, at::kDouble), matrix({2, 0.5, 0.5, 1}, 2));
  const at::Tensor y =
      with_moments(at::tensor({0.5, 2.5}, at::kDouble), matrix({1, -0.3, -0.3, 1.5}, 2));
  const FrechetDistance distance = frechet_distance(x, y);
  REQUIRE(distance.trace_root == Approx(2.51826441).epsilon(1e-8));
  REQUIRE(distance.squared() == Approx(0.96347119).epsilon(1e-8));
  REQUIRE(std::sqrt(distance.squared()) == Approx(0.98156568).epsilon(1e-8));
  const FrechetDistance diagonal =
      frechet_distance(with_moments(at::tensor({1.0, 0.0}, at::kDouble), matrix({4, 0, 0, 9}, 2)),
                       with_moments(at::tensor({0.0, 0.0}, at::kDouble), matrix({1, 0, 0, 16}, 2)));
  REQUIRE(diagonal.squared() == Approx(3).epsilon(1e-12));
}

TEST_CASE("frechet: two samples, unbiased covariances (C10)", "[frechet]") {
  const at::Tensor x = matrix({1, 0, 0, 1, 2, 2, 1, 3}, 2);
  const at::Tensor y = matrix({0, 0, 1, 1, 3, 1, 2, 0, 4, 3}, 2);
  const FrechetDistance distance = frechet_distance(x, y);
  REQUIRE(distance.means == Approx(1.25).epsilon(1e-14));
  REQUIRE(distance.trace_1 == Approx(7.0 / 3).epsilon(1e-14));
  REQUIRE(distance.trace_2 == Approx(4).epsilon(1e-14));
  REQUIRE(distance.trace_root == Approx(2.75973847).epsilon(1e-8));
  REQUIRE(distance.squared() == Approx(2.06385640).epsilon(1e-8));
  REQUIRE(frechet_distance(y, x).squared() == Approx(distance.squared()).epsilon(1e-12));
}

TEST_CASE("frechet: singular covariances (C10)", "[frechet]") {
  const at::Tensor zero = at::zeros({2}, at::kDouble);
  const at::Tensor x = with_moments(zero, matrix({1, 1, 1, 1}, 2));
  const at::Tensor y = with_moments(zero, matrix({1, -1, -1, 1}, 2));
  REQUIRE(frechet_distance(x, y).squared() == Approx(4).margin(1e-7));
  REQUIRE(frechet_distance(x, x).squared() == Approx(0).margin(1e-7));
}

TEST_CASE("frechet: if one side is constant, the distance is the other's trace", "[frechet]") {
  const at::Tensor x = at::full({50, 6}, 0.3, at::kFloat);  // a model with a single output sentence
  const at::Tensor y = correlated_rows(40, 6, 0.7, 1);
  const double expected = (x[0].to(at::kDouble) - y.mean(0)).square().sum().item<double>() +
                          at::cov(y.t()).trace().item<double>();
  REQUIRE(frechet_distance(x, y).squared() == Approx(expected).epsilon(1e-12));
  REQUIRE(frechet_distance(x, x).squared() == 0);
}

TEST_CASE("frechet: random sets agree with the definition", "[frechet]") {
  // More vectors than dimensions, with well and badly conditioned covariances (the last uses the
  // path of singular values); fewer; one of each.
  const auto agree = [](const at::Tensor& x, const at::Tensor& y, double tolerance) {
    REQUIRE(frechet_distance(x, y).squared() == Approx(by_definition(x, y)).epsilon(tolerance));
  };
  agree(random_rows(700, 600, 1), random_rows(900, 600, 2), 1e-9);
  agree(correlated_rows(200, 40, 0.9, 3), correlated_rows(300, 40, 0.8, 4), 1e-9);
  // Here the definition itself is only accurate to the square root of float64's precision.
  agree(correlated_rows(200, 40, 0.5, 5), correlated_rows(300, 40, 0.6, 6), 1e-5);
  agree(correlated_rows(20, 40, 0.9, 7), correlated_rows(30, 40, 0.9, 8), 1e-6);
  agree(correlated_rows(20, 40, 0.9, 9), correlated_rows(100, 40, 0.9, 10), 1e-6);
}

TEST_CASE("frechet: badly conditioned covariances keep their precision", "[frechet]") {
  // Diagonal matrices commute: the distance is the sum of (sqrt(l_1) - sqrt(l_2))^2.
  const at::Tensor exponents = at::arange(40, at::kDouble);
  const at::Tensor first = at::pow(0.2, exponents), second = at::pow(0.25, exponents.flip(0));
  const at::Tensor zero = at::zeros({40}, at::kDouble);
  const double expected = (first.sqrt() - second.sqrt()).square().sum().item<double>();
  const FrechetDistance distance =
      frechet_distance(with_moments(zero, at::diag(first)), with_moments(zero, at::diag(second)));
  REQUIRE(distance.squared() == Approx(expected).epsilon(1e-12));
}

TEST_CASE("frechet: constant dimensions do not change the result", "[frechet]") {
  // Max pooling with zeros causes such dimensions: the covariances are singular although there are
  // more vectors than dimensions.
  const at::Tensor x = correlated_rows(100, 8, 0.8, 11), y = correlated_rows(120, 8, 0.7, 12);
  const auto padded = [](const at::Tensor& rows) {
    return at::cat({rows, at::zeros({rows.size(0), 5}, at::kDouble)}, 1);
  };
  REQUIRE(frechet_distance(padded(x), padded(y)).squared() ==
          Approx(frechet_distance(x, y).squared()).epsilon(1e-12));
}

TEST_CASE("frechet: the distance of a set to itself is 0 in any order", "[frechet]") {
  const at::Tensor x = correlated_rows(300, 40, 0.6, 13);
  const FrechetDistance distance = frechet_distance(x, x.flip(0));
  REQUIRE(std::abs(distance.raw()) < 1e-9 * distance.trace_1);
  REQUIRE(distance.squared() >= 0);
}

TEST_CASE("frechet: fewer than two vectors, or different widths, are rejected", "[frechet]") {
  REQUIRE_THROWS(frechet_distance(at::zeros({1, 3}), at::zeros({4, 3})));
  REQUIRE_THROWS(frechet_distance(at::zeros({4, 2}), at::zeros({4, 3})));
}

TEST_CASE("frechet: the floor equals the formula with eigenvalues", "[frechet]") {
  const at::Tensor x = with_moments(at::zeros({2}, at::kDouble), matrix({4, 0, 0, 1}, 2));
  // 5/2 (4 + 1) + 4/2 + 1/2 + 2 * 4/5, over 100.
  REQUIRE(frechet_floor(x, 100) == Approx(0.166).epsilon(1e-12));
  const at::Tensor wide = at::cat({x, at::zeros({4, 9}, at::kDouble)}, 1);
  REQUIRE(frechet_floor(wide, 100) == Approx(0.166).epsilon(1e-9));
}

TEST_CASE("frechet: the floor is the expected distance of two samples of one Gaussian",
          "[frechet]") {
  const int64_t n = 400, width = 60;
  const at::Tensor deviations = at::exp(at::arange(width, at::kDouble) * (-1.0 / 24));
  double mean = 0;
  const int pairs = 8;
  for (int k = 0; k < pairs; ++k) {
    mean += frechet_distance(random_rows(n, width, 100 + 2 * k) * deviations,
                             random_rows(n, width, 101 + 2 * k) * deviations)
                .squared() /
            pairs;
  }
  const double floor = frechet_floor(random_rows(20000, width, 99) * deviations, n);
  REQUIRE(floor == Approx(mean).epsilon(0.05));
}

namespace {

/// The vector of a sentence is a row of a table, chosen by its first word.
class TableOfSentences : public Model, public SentenceEmbedder {
 public:
  explicit TableOfSentences(at::Tensor table) : table_(std::move(table)) {}
  int64_t embedding_size() const override { return table_.size(1); }
  std::string embedding_signature() const override { return "pool:none"; }
  at::Tensor embed(const Tokens& sentences) override {
    return table_.index_select(0, sentences.ids.select(1, 0) - 4);
  }

 private:
  at::Tensor table_;
};

Inputs inputs_of(const std::shared_ptr<Model>& encoder, const std::vector<TokenIds>& samples,
                 const std::vector<TokenIds>& references, bool published = false) {
  const auto pieces = fixed_tokenizer(
      [](std::span<const int32_t> ids) { return std::to_string(ids[0]); }, {}, "tokens");
  const auto words = fixed_tokenizer(
      {}, [](std::string_view text) { return TokenIds{std::stoi(std::string(text))}; });
  Inputs inputs;
  inputs.add("samples", Text(samples, pieces));
  inputs.add("references", Text(references, pieces));
  inputs.add("encoder", LoadedModel{.component = "table",
                                    .model = encoder,
                                    .identity = "1234abcd",
                                    .published = published,
                                    .tokenizer = words});
  return inputs;
}

}  // namespace

TEST_CASE("frechet: the evaluator scores equal numbers of sentences of both sides", "[frechet]") {
  // The two sets of C10, and three more test sentences than samples.
  const auto encoder = std::make_shared<TableOfSentences>(
      matrix({1, 0, 0, 1, 2, 2, 1, 3, 0, 0, 1, 1, 3, 1, 2, 0, 4, 3}, 2).to(at::kFloat));
  const std::vector<TokenIds> samples = {{4}, {5}, {6}, {7}}, test = {{8}, {9}, {10}, {11}, {12}};
  const auto scores = FrechetEvaluator({}).evaluate(inputs_of(encoder, samples, test));
  REQUIRE(scores.size() == 4);
  CHECK(scores[0].id == "frechet");
  CHECK(scores[0].n == 4);
  const double expected =
      frechet_distance(matrix({1, 0, 0, 1, 2, 2, 1, 3}, 2), matrix({0, 0, 1, 1, 3, 1, 2, 0}, 2))
          .squared();
  CHECK(scores[0].value == Approx(expected).epsilon(1e-12));
  CHECK(scores[1].value == Approx(std::sqrt(expected)).epsilon(1e-12));
  CHECK(scores[2].value == Approx(expected).epsilon(1e-12));
  CHECK(scores[3].id == "floor");
  CHECK(scores[3].value > 0);
  CHECK(scores[0].signature ==
        "fd_table|encoder:table|pool:none|batch:64|weights:1234abcd|compared:decoded|"
        "dimensions:2|n_sentences:4|frechet|version:2");
  CHECK(scores[0].title == "fd_table");
  FrechetOptions three;
  three.samples = 3;
  CHECK(FrechetEvaluator(three).evaluate(inputs_of(encoder, samples, test))[0].n == 3);
  const Inputs published = inputs_of(encoder, samples, test, /*published=*/true);
  CHECK(FrechetEvaluator({}).evaluate(published)[0].signature.starts_with("fid|encoder:table|"));
  CHECK(FrechetEvaluator({}).evaluate(published)[0].title == "fid");
  CHECK_THROWS_AS(FrechetEvaluator({}).evaluate(inputs_of(encoder, {{4}}, test)), DataError);
}
