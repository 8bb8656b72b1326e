// Correlations, their p-values and their range. Expected values without a derivation are from an
// independent program: permutations in exact fractions, Student's density by Simpson's rule.
#include "framework/core/statistics/correlation.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

using namespace lvtext;

namespace {

using Values = std::vector<double>;

const Values kX{15.18, 23.4, 8.25, 31.5, 12.5, 17.75, 40.1, 3.3};
const Values kY{62.73, 62.11, 61.85, 55.56, 53.70, 53.07, 51.03, 47.41};
const Values kManyX{3.1, 1.2, 4.8, 1.5, 9.2, 6.5, 3.5, 8.9, 7.9, 2.3, 8.4, 6.2};
const Values kManyY{2.7, 1.8, 2.8, 1.8, 4.5, 9.0, 4.5, 2.3, 5.3, 6.0, 2.8, 7.4};

}  // namespace

TEST_CASE("correlation: ranks of ties are averaged", "[statistics]") {
  CHECK(average_ranks(std::vector<double>{10, 20, 10, 30}) == std::vector<double>{1.5, 3, 1.5, 4});
}

TEST_CASE("correlation: Spearman's correlation, with and without ties", "[statistics]") {
  const std::vector<double> up{1, 2, 3, 4, 5};
  CHECK(*spearman(up, std::vector<double>{2, 4, 6, 80, 100}) == Approx(1));
  CHECK(*spearman(up, std::vector<double>{5, 4, 3, 2, 1}) == Approx(-1));
  // 1 - 6 * 4 / (5 * 24): two neighbors swapped twice.
  CHECK(*spearman(up, std::vector<double>{2, 1, 4, 3, 5}) == Approx(0.8));
  // Ranks 1.5 1.5 3 against 1 2 3: covariance 1.5, variances 1.5 and 2.
  CHECK(*spearman(std::vector<double>{1, 1, 2}, std::vector<double>{1, 2, 3}) ==
        Approx(1.5 / std::sqrt(1.5 * 2.0)));
  // Pairs of similarity and content, and of negative perplexity and fluency.
  CHECK(*spearman(Values{.91, .75, .75, .40, .66}, Values{4, 3, 2, 1, 3}) ==
        Approx(0.7631578947).epsilon(1e-9));
  CHECK(*spearman(Values{-20, -35, -90, -15}, Values{3, 3, 1, 4}) ==
        Approx(0.9486832981).epsilon(1e-9));
  CHECK_FALSE(spearman(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}));
  CHECK_FALSE(spearman(std::vector<double>{1}, std::vector<double>{1}));
}

TEST_CASE("correlation: Pearson's coefficient, undefined for a constant side", "[statistics]") {
  CHECK(*pearson(kX, kY) == Approx(-0.03806960422064657).epsilon(1e-12));
  CHECK(*pearson(kManyX, kManyY) == Approx(0.2464217641110676).epsilon(1e-12));
  CHECK(*spearman(kX, kY) == Approx(0.07142857142857142).epsilon(1e-12));
  CHECK(*spearman(kManyX, kManyY) == Approx(0.32337883566851383).epsilon(1e-12));
  // The mean of three 0.1 is not 0.1.
  CHECK_FALSE(pearson(Values{0.1, 0.1, 0.1}, Values{1, 2, 3}));
  CHECK_FALSE(pearson(Values{1, 2, 3}, Values{0.1, 0.1, 0.1}));
}

TEST_CASE("correlation: p by all permutations", "[statistics]") {
  const auto p_of_ranks = [](const Values& a, const Values& b) {
    return permutation_p(average_ranks(a), average_ranks(b)).value();
  };
  // 8 of 24 permutations of four are as far from 0 as -0.8.
  CHECK(p_of_ranks({1, 2, 3, 4}, {5, 4, 2, 3}) == Approx(8.0 / 24));
  CHECK(p_of_ranks({.91, .75, .75, .40, .66}, {4, 3, 2, 1, 3}) == Approx(24.0 / 120));
  CHECK(permutation_p(Values{.91, .75, .75, .40, .66}, Values{4, 3, 2, 1, 3}).value() ==
        Approx(10.0 / 120));
  CHECK(p_of_ranks({-20, -35, -90, -15}, {3, 3, 1, 4}) == Approx(4.0 / 24));
  CHECK(p_of_ranks(kX, kY) == Approx(35562.0 / 40320));
  CHECK(permutation_p(kX, kY).value() == Approx(37269.0 / 40320));
  CHECK_FALSE(permutation_p(Values{1, 1, 1}, Values{1, 2, 3}));
  CHECK_FALSE(permutation_p(Values(11, 0.0), kManyX));
}

TEST_CASE("correlation: the least significant coefficients of 8 and 9 pairs", "[statistics]") {
  const Values eight{1, 2, 3, 4, 5, 6, 7, 8}, nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
  // 1 - 6 * 36 / (9 * 80) = 0.7 and 1 - 6 * 22 / (8 * 63) = 0.738.
  CHECK(*spearman(nine, Values{4, 2, 1, 3, 7, 8, 5, 9, 6}) == Approx(0.7));
  CHECK(permutation_p(nine, Values{4, 2, 1, 3, 7, 8, 5, 9, 6}).value() ==
        Approx(0.0433).margin(5e-5));
  CHECK(*spearman(eight, Values{3, 2, 1, 4, 7, 6, 8, 5}) == Approx(1 - 6.0 * 22 / 504));
  CHECK(permutation_p(eight, Values{3, 2, 1, 4, 7, 6, 8, 5}).value() ==
        Approx(0.0458).margin(5e-5));
}

TEST_CASE("correlation: p of many pairs by Student's t", "[statistics]") {
  CHECK(student_p(*spearman(kManyX, kManyY), 12) == Approx(0.3052129762519472).epsilon(1e-9));
  CHECK(student_p(*pearson(kManyX, kManyY), 12) == Approx(0.44006420315456174).epsilon(1e-9));
  CHECK(student_p(0, 12) == Approx(1));
  CHECK(student_p(-1, 12) == 0);
  CHECK(student_p(-0.5, 12) == student_p(0.5, 12));
}

TEST_CASE("correlation: the range without each pair", "[statistics]") {
  const Interval ranks = *leave_one_out(spearman, kManyX, kManyY);
  CHECK(ranks.lo == Approx(0.12328895654385023).epsilon(1e-12));
  CHECK(ranks.hi == Approx(0.4897140569370998).epsilon(1e-12));
  const Interval values = *leave_one_out(pearson, kX, kY);
  CHECK(values.lo == Approx(-0.5143271364236753).epsilon(1e-12));
  CHECK(values.hi == Approx(0.3038937672291138).epsilon(1e-12));
  // Without the last pair one side is constant.
  CHECK_FALSE(leave_one_out(spearman, Values{1, 1, 1, 2}, Values{1, 2, 3, 4}));
  CHECK_FALSE(leave_one_out(spearman, {}, {}));
}

TEST_CASE("correlation: invariance to scale, order and side", "[statistics]") {
  Values scaled, exponential, x_backwards(kX.rbegin(), kX.rend()),
      y_backwards(kY.rbegin(), kY.rend());
  for (const double x : kX) {
    scaled.push_back(3 * x - 7);
    exponential.push_back(std::exp(x));
  }
  CHECK(*pearson(scaled, kY) == Approx(*pearson(kX, kY)));
  CHECK(*spearman(exponential, kY) == *spearman(kX, kY));
  CHECK(*pearson(kY, kX) == Approx(*pearson(kX, kY)));
  CHECK(permutation_p(scaled, kY) == permutation_p(kX, kY));
  CHECK(permutation_p(kY, kX) == permutation_p(kX, kY));
  CHECK(permutation_p(x_backwards, y_backwards) == permutation_p(kX, kY));
}

TEST_CASE("correlation: Kendall's coefficient, with and without ties", "[statistics]") {
  // scipy 1.17.1: stats.kendalltau.
  CHECK(*kendall(Values{.91, .75, .75, .40, .66, .2, .3}, Values{4, 3, 2, 1, 3, 1, 5}) ==
        Approx(0.3077935056255462).epsilon(1e-12));
  Values up, other;
  for (int i = 0; i < 30; ++i) {
    up.push_back(i);
    other.push_back(7 * i % 30);
  }
  CHECK(normal_p_of_tau(*kendall(up, other), 30) == Approx(0.48655395826013204).epsilon(1e-9));
  // 2 of 24 permutations of four are as far from 0 as -1.
  CHECK(*permutation_p(kendall, Values{1, 2, 3, 4}, Values{4, 3, 2, 1}) == Approx(2.0 / 24));
  CHECK(*permutation_p(spearman, Values{1, 2, 3, 4}, Values{5, 4, 2, 3}) == Approx(8.0 / 24));
  CHECK_FALSE(kendall(Values{1, 1, 1}, Values{1, 2, 3}));
}

TEST_CASE("correlation: Table 2 against Table 3 of the text-to-image paper", "[statistics]") {
  // Rows sum, concat, AE, ARAE: alignment, quality, and congruent per not congruent images.
  const Values alignment{2.239, 2.360, 2.344, 2.279}, quality{2.242, 2.343, 2.360, 2.229};
  const Values odds{15. / 4, 12. / 8, 8. / 8, 11. / 7};
  CHECK(*spearman(alignment, odds) == Approx(-0.8));
  CHECK(*kendall(alignment, odds) == Approx(-2. / 3));
  CHECK(*pearson(alignment, odds) == Approx(-0.823674).epsilon(1e-6));
  CHECK(*spearman(quality, odds) == Approx(-0.8));
  CHECK(*pearson(quality, odds) == Approx(-0.620306).epsilon(1e-6));
}
