// Wilcoxon's signed-rank test. Expected values are those of scipy.stats.wilcoxon 1.17.1, by a
// PermutationMethod over all signs for at most 25 differences and by method="approx" above.
#include "framework/core/statistics/signed_rank.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

using namespace lvtext;

namespace {

using Values = std::vector<double>;

SignedRank test_of(const Values& differences) {
  return signed_rank_test(differences).value();
}

/// (i^2 a + i b) mod 9 - c, scaled, for i = 0..count - 1: many ties and zeros.
Values modular(int count, int a, int b, int c, double scale) {
  Values values;
  for (int i = 0; i < count; ++i) values.push_back(((i * i * a + i * b) % 9 - c) * scale);
  return values;
}

}  // namespace

TEST_CASE("signed rank: all assignments of signs for few differences", "[statistics]") {
  // The sums {}, 1, 2, 3 and 1 + 2 of the ranks 1..7 are at most 3: p = 2 x 5 / 128.
  const SignedRank few = test_of({1.5, -0.5, 2.25, 3.0, -1.0, 4.5, 5.0});
  CHECK(few.statistic == 3);
  CHECK(few.n == 7);
  CHECK(few.p == Approx(0.078125).epsilon(1e-12));
  const SignedRank ties = test_of({0, 1, 1, -1, 2, 2, -2, 3, 0, 0.5});
  CHECK(ties.statistic == 9);
  CHECK(ties.n == 8);
  CHECK(ties.p == Approx(0.25).epsilon(1e-12));
  Values medium;
  for (int i = 0; i < 20; ++i) medium.push_back((i * 37) % 41 - 17 + 0.25);
  CHECK(test_of(medium).statistic == 77);
  CHECK(test_of(medium).p == Approx(0.3117942810058594).epsilon(1e-12));
}

TEST_CASE("signed rank: the normal distribution with the correction for ties", "[statistics]") {
  const SignedRank ties = test_of(modular(60, 7, 3, 3, 1));
  CHECK(ties.n == 60);
  CHECK(ties.statistic == 827);
  CHECK(ties.p == Approx(0.5134753516807231).epsilon(1e-12));
  const SignedRank zeros = test_of(modular(40, 7, 3, 4, 0.5));
  CHECK(zeros.n == 32);
  CHECK(zeros.statistic == 85.5);
  CHECK(zeros.p == Approx(0.0005673891901378088).epsilon(1e-12));
  Values distinct;
  for (int i = 0; i < 30; ++i) distinct.push_back((i % 3 == 1 ? -1 : 1) * (i + 1.0) * 1.1);
  CHECK(test_of(distinct).statistic == 155);
  CHECK(test_of(distinct).p == Approx(0.11092566512553104).epsilon(1e-12));
}

TEST_CASE("signed rank: the sign and zeros do not matter; none without a difference",
          "[statistics]") {
  Values values = modular(40, 7, 3, 4, 0.5), negative;
  for (const double value : values) negative.push_back(-value);
  CHECK(test_of(values).p == test_of(negative).p);
  values.insert(values.end(), 100, 0.0);
  CHECK(test_of(values).p == test_of(negative).p);
  // Balanced: more than half of the sums are at most W.
  CHECK(test_of({1, -1}).p == 1);
  CHECK_FALSE(signed_rank_test(Values{0, 0}));
  CHECK_FALSE(signed_rank_test(Values{}));
}
