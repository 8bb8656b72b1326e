#include <cmath>
#include <vector>

#include "framework/core/statistics/statistics.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("statistics: quantiles interpolate between order statistics", "[statistics]") {
  CHECK(quantile({4, 1, 3, 2}, 0.5) == Approx(2.5));
  CHECK(quantile({4, 1, 3, 2}, 0.025) == Approx(1.075));
  CHECK(quantile({7}, 0.975) == 7);
  CHECK(std::isnan(quantile({}, 0.5)));
  std::vector<double> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(i);
  CHECK(percentile_interval(values).lo == Approx(25));
  CHECK(percentile_interval(values).hi == Approx(975));
}

TEST_CASE("statistics: Student's t matches published quantiles", "[statistics]") {
  CHECK(student_t_quantile(0.975, 1) == Approx(12.706204736));
  CHECK(student_t_quantile(0.975, 2) == Approx(4.302652730));
  CHECK(student_t_quantile(0.975, 4) == Approx(2.776445105));
  CHECK(student_t_quantile(0.975, 30) == Approx(2.042272456));
  CHECK(student_t_quantile(0.025, 2) == Approx(-4.302652730));
  CHECK(student_t_cdf(0, 5) == Approx(0.5));
}

TEST_CASE("statistics: Student's interval of a mean", "[statistics]") {
  const std::vector<double> values{1, 2, 3};
  CHECK(*sample_deviation(values) == Approx(1));
  const Interval interval = *t_interval(values);
  CHECK(interval.lo == Approx(2 - 4.302652730 / std::sqrt(3.0)));
  CHECK(interval.hi == Approx(2 + 4.302652730 / std::sqrt(3.0)));
  CHECK_FALSE(t_interval(std::vector<double>{1}));
}

TEST_CASE("percentile interval: resamples in which the score is undefined are left out",
          "[statistics]") {
  const double nan = std::nan("");
  const Interval without = percentile_interval({1, 2, 3, 4, 5});
  const Interval with = percentile_interval({nan, 3, 1, nan, 5, 2, 4});
  CHECK(with.lo == without.lo);
  CHECK(with.hi == without.hi);
}
