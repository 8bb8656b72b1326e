#include <cmath>
#include <limits>

#include "framework/base/error.h"
#include "tests/catch.h"
#include "trainers/learning_rate.h"

using namespace lvtext;

namespace {

Progress at_step(int64_t step, double rate = 1) {
  Progress progress;
  progress.step = step;
  progress.schedule_rate = rate;
  return progress;
}

OptimOptions shape(LrType type, std::optional<Period> warmup = {}) {
  OptimOptions options;
  options.lr = 2;
  options.schedule.type = type;
  options.schedule.warmup = warmup;
  return options;
}

std::vector<Evaluation> objectives(const std::vector<double>& values) {
  std::vector<Evaluation> evaluations;
  for (const double value : values) {
    evaluations.push_back({static_cast<int64_t>(evaluations.size()), value, {}});
  }
  return evaluations;
}

}  // namespace

TEST_CASE("learning rate: shapes at hand-computed points", "[trainers]") {
  const RunLength length{100, 10};
  CHECK(learning_rate(shape(LrType::kConstant), at_step(57), length) == 2);
  CHECK(learning_rate(shape(LrType::kLinear), at_step(0), length) == 2);
  CHECK(learning_rate(shape(LrType::kLinear), at_step(75), length) == Approx(0.5));
  CHECK(learning_rate(shape(LrType::kCosine), at_step(50), length) == Approx(1));
  CHECK(learning_rate(shape(LrType::kCosine), at_step(100), length) == Approx(0).margin(1e-12));
  const auto root = shape(LrType::kInverseSqrt, Period::updates(4));
  CHECK(learning_rate(root, at_step(16), length) == Approx(1));
}

TEST_CASE("learning rate: the warm-up rises linearly and never starts at 0", "[trainers]") {
  const RunLength length{100, 10};
  const auto options = shape(LrType::kLinear, Period::epochs(1));
  CHECK(learning_rate(options, at_step(0), length) == Approx(2.0 / 11));
  CHECK(learning_rate(options, at_step(9), length) == Approx(20.0 / 11));
  CHECK(learning_rate(options, at_step(10), length) == Approx(2));
  CHECK(learning_rate(options, at_step(55), length) == Approx(1));
}

TEST_CASE("learning rate: a shorter run follows the same curve faster", "[trainers]") {
  const auto options = shape(LrType::kCosine, Period::updates(20));
  const RunLength full{100, 10};
  const RunLength tenth{10, 10};
  for (int64_t step = 2; step <= 10; ++step) {
    CHECK(learning_rate(options, at_step(step, 10), tenth) ==
          Approx(learning_rate(options, at_step(step * 10), full)).margin(1e-12));
  }
}

TEST_CASE("learning rate: stalls halve it", "[trainers]") {
  auto options = shape(LrType::kHalveOnStall);
  options.schedule.stall = 2;
  Progress progress;
  const RunLength length;
  progress.evaluations = objectives({5, 4, 4.5, 4.1});
  CHECK(learning_rate(options, progress, length) == 1);
  progress.evaluations = objectives({5, 4, 4.5, 3, 4});
  CHECK(learning_rate(options, progress, length) == 2);
  progress.evaluations = objectives({5, 6, 7, 8, 9});
  CHECK(learning_rate(options, progress, length) == 0.5);
}

TEST_CASE("patience: validations that bring nothing, not-a-number among them", "[trainers]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(validations_without_gain(objectives({})) == 0);
  CHECK(validations_without_gain(objectives({3, 2})) == 0);
  CHECK(validations_without_gain(objectives({3, 2, 2, nan})) == 2);
  CHECK(validations_without_gain(objectives({nan, nan})) == 2);
  CHECK(best_evaluation(objectives({nan})) == nullptr);
  CHECK(best_evaluation(objectives({3, 2, 2}))->step == 1);
}

TEST_CASE("periods: reached and crossed in their own units", "[trainers]") {
  const Position before{9, 0.9, 900, 1};
  const Position after{10, 1.0, 1000, 2};
  CHECK(crossed(Period::updates(5), before, after));
  CHECK_FALSE(crossed(Period::updates(4), before, after));
  CHECK(crossed(Period::epochs(1), before, after));
  CHECK(crossed(Period::epochs(0.5), before, after));
  CHECK_FALSE(crossed(Period::epochs(0.5), {8, 0.8, 0, 0}, before));
  CHECK(reached(Period::tokens(1000), after));
  CHECK_FALSE(reached(Period::seconds(2.5), after));
}
