#include <cmath>
#include <vector>

#include "framework/report/statistics.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("statistics: quantiles interpolate between order statistics", "[report]") {
  CHECK(quantile({4, 1, 3, 2}, 0.5) == Approx(2.5));
  CHECK(quantile({4, 1, 3, 2}, 0.025) == Approx(1.075));
  CHECK(quantile({7}, 0.975) == 7);
  CHECK(std::isnan(quantile({}, 0.5)));
  std::vector<double> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(i);
  CHECK(percentile_interval(values).lo == Approx(25));
  CHECK(percentile_interval(values).hi == Approx(975));
}

TEST_CASE("statistics: Student's t against published quantiles", "[report]") {
  CHECK(student_t_quantile(0.975, 1) == Approx(12.706204736));
  CHECK(student_t_quantile(0.975, 2) == Approx(4.302652730));
  CHECK(student_t_quantile(0.975, 4) == Approx(2.776445105));
  CHECK(student_t_quantile(0.975, 30) == Approx(2.042272456));
  CHECK(student_t_quantile(0.025, 2) == Approx(-4.302652730));
  CHECK(student_t_cdf(0, 5) == Approx(0.5));
}

TEST_CASE("statistics: Student's interval of a mean", "[report]") {
  const std::vector<double> values{1, 2, 3};
  CHECK(*sample_deviation(values) == Approx(1));
  const Interval interval = *t_interval(values);
  CHECK(interval.lo == Approx(2 - 4.302652730 / std::sqrt(3.0)));
  CHECK(interval.hi == Approx(2 + 4.302652730 / std::sqrt(3.0)));
  CHECK_FALSE(t_interval(std::vector<double>{1}));
}

TEST_CASE("statistics: ranks of equal values are averaged", "[report]") {
  CHECK(average_ranks(std::vector<double>{10, 20, 10, 30}) == std::vector<double>{1.5, 3, 1.5, 4});
}

TEST_CASE("statistics: Spearman's correlation, with and without ties", "[report]") {
  const std::vector<double> up{1, 2, 3, 4, 5};
  CHECK(*spearman(up, std::vector<double>{2, 4, 6, 80, 100}) == Approx(1));
  CHECK(*spearman(up, std::vector<double>{5, 4, 3, 2, 1}) == Approx(-1));
  // 1 - 6 * 4 / (5 * 24): two neighbours swapped twice.
  CHECK(*spearman(up, std::vector<double>{2, 1, 4, 3, 5}) == Approx(0.8));
  // Ranks 1.5 1.5 3 against 1 2 3: covariance 1.5, variances 1.5 and 2.
  CHECK(*spearman(std::vector<double>{1, 1, 2}, std::vector<double>{1, 2, 3}) ==
        Approx(1.5 / std::sqrt(1.5 * 2.0)));
  CHECK_FALSE(spearman(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}));
  CHECK_FALSE(spearman(std::vector<double>{1}, std::vector<double>{1}));
}
