#include "framework/core/statistics/outliers.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "framework/core/statistics/statistics.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

using Values = std::vector<double>;

std::vector<size_t> dropped(const Values& by, const Values& flag = {},
                            const OutlierRule& rule = {}) {
  std::vector<size_t> runs;
  for (const Outlier& outlier : outliers(by, flag, rule)) runs.push_back(outlier.run);
  return runs;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("outliers: beyond 5 x 1.4826 MAD of the median", "[statistics]") {
  // Median 0.225, 1.4826 MAD 0.037065: the last is 45.19 of these away, all others at most 1.2141.
  const Values runs{.21, .25, .19, .24, .22, .20, .26, .23, .18, 1.90};
  const auto found = outliers(runs, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].run == 9);
  CHECK(found[0].reason == "1.9 is 1.675 from the median 0.225, more than 5 x 1.4826 MAD (0.1853)");
  CHECK(dropped(runs, {}, {.mad = 45.19}) == std::vector<size_t>{9});
  CHECK(dropped(runs, {}, {.mad = 45.2}).empty());
  CHECK(dropped(runs, {}, {.mad = 1.2}) == std::vector<size_t>{8, 9});
  CHECK(dropped(runs, {}, {.most = 0}).empty());
  // Mean and standard deviation (n - 1) of the kept nine and of all ten.
  const std::span<const double> all(runs);
  CHECK(mean(all.first(9)) == Approx(.22));
  CHECK(*sample_deviation(all.first(9)) == Approx(.027386128).epsilon(1e-8));
  CHECK(mean(all) == Approx(.388));
  CHECK(*sample_deviation(all) == Approx(.531889713).epsilon(1e-8));
}

TEST_CASE("outliers: flagged and largest", "[statistics]") {
  const Values runs{.21, .25, .19, .24};
  CHECK(dropped(runs, {0, 1, 0, 0}) == std::vector<size_t>{1});
  CHECK(outliers(runs, Values{0, 1, 0, 0})[0].reason ==
        "it is flagged, and its value 0.25 is the largest");
  CHECK(dropped(runs, {0, 0.5, 0, 1}).empty());
  CHECK(dropped(runs, {kNan, kNan, kNan, kNan}).empty());
  CHECK_THROWS_AS(outliers(runs, Values{1}), std::logic_error);
}

TEST_CASE("outliers: sorted by distance, ties by position", "[statistics]") {
  const Values runs{1, 2, 3, 4, 5, 6, 7, 100, -90, 200, 98};
  CHECK(dropped(runs) == std::vector<size_t>{7, 9});
  CHECK(dropped(runs, {}, {.most = 3}) == std::vector<size_t>{7, 8, 9});
  CHECK(dropped({1, 2, 3, 4, 5, 53, -47}, {}, {.most = 1}) == std::vector<size_t>{5});
}

TEST_CASE("outliers: no distance without spread or majority", "[statistics]") {
  CHECK(dropped({1, 1, 1, 1, 9}).empty());
  CHECK(dropped({1, 1, 1, 9}, {0, 0, 0, 1}) == std::vector<size_t>{3});
  CHECK(dropped({1, 1, 2, 3}, {0, 0, 0, 1}) == std::vector<size_t>{3});
  CHECK(dropped({1, 9}, {0, 1}).empty());
  CHECK(dropped({7}, {1}).empty());
  CHECK(dropped({}).empty());
}

TEST_CASE("outliers: fewer than five runs are dropped only if flagged", "[statistics]") {
  CHECK(dropped({1, 1.01, 9}).empty());
  CHECK(dropped({1, 1.01, 1.02, 9}).empty());
  CHECK(dropped({1, 1.01, 1.02, 1.03, 9}) == std::vector<size_t>{4});
  CHECK(dropped({1, 1.01, 9}, {0, 0, 1}) == std::vector<size_t>{2});
  CHECK(dropped({1, 1.01, 1.02, 9}, {}, {.min_runs = 4}) == std::vector<size_t>{3});
  CHECK(dropped({1, 1.01, 1.02, 1.03, 1.04, 9}, {}, {.min_runs = 7}).empty());
  // Three equally good runs: one of five such lines would lose a run.
  CHECK(dropped({0.52, 0.53, 0.71}).empty());
}

TEST_CASE("outliers: values that are not finite", "[statistics]") {
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(dropped({1, 2, kNan, 3, 4}).empty());
  CHECK(dropped({1, 2, 3, 4, inf}) == std::vector<size_t>{4});
  CHECK(dropped({1, 2, inf, inf, inf}).empty());
  CHECK(dropped({kNan, kNan, kNan}, {1, 1, 1}).empty());
}

TEST_CASE("outliers: invariance to shift and scale", "[statistics]") {
  const Values runs{.21, .25, .19, .24, .22, .20, .26, .23, .18, 1.90};
  Values other;
  for (const double run : runs) other.push_back(1000 - 8 * run);
  CHECK(dropped(other) == dropped(runs));
}
