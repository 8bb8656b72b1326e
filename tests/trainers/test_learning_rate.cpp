#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "tests/catch.h"
#include "trainers/learning_rate.h"
#include "trainers/periods.h"

using namespace lvtext;

namespace {

TrainerState at_step(int64_t step, double rate = 1) {
  TrainerState state;
  state.step = step;
  state.schedule_rate = rate;
  return state;
}

OptimizerOptions shape(const std::string& type, const std::string& settings = "{}") {
  OptimizerOptions options;
  options.lr = 2;
  options.schedule = Choice<LrSchedule>(type, parse_yaml_or_throw(settings));
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
  CHECK(learning_rate(shape("constant"), at_step(57), length) == 2);
  CHECK(learning_rate(shape("linear"), at_step(0), length) == 2);
  CHECK(learning_rate(shape("linear"), at_step(75), length) == Approx(0.5));
  CHECK(learning_rate(shape("cosine"), at_step(50), length) == Approx(1));
  CHECK(learning_rate(shape("cosine"), at_step(100), length) == Approx(0).margin(1e-12));
  const auto root = shape("inverse_sqrt", "{warmup: 4u}");
  CHECK(learning_rate(root, at_step(16), length) == Approx(1));
}

TEST_CASE("learning rate: the warm-up rises linearly and does not start at 0", "[trainers]") {
  const RunLength length{100, 10};
  const auto options = shape("linear", "{warmup: 1e}");
  CHECK(learning_rate(options, at_step(0), length) == Approx(2.0 / 11));
  CHECK(learning_rate(options, at_step(9), length) == Approx(20.0 / 11));
  CHECK(learning_rate(options, at_step(10), length) == Approx(2));
  CHECK(learning_rate(options, at_step(55), length) == Approx(1));
}

TEST_CASE("learning rate: a shorter run follows the same curve in less time", "[trainers]") {
  const auto options = shape("cosine", "{warmup: 20u}");
  const RunLength full{100, 10};
  const RunLength tenth{10, 10};
  for (int64_t step = 2; step <= 10; ++step) {
    CHECK(learning_rate(options, at_step(step, 10), tenth) ==
          Approx(learning_rate(options, at_step(step * 10), full)).margin(1e-12));
  }
}

TEST_CASE("learning rate: reduced on plateaus", "[trainers]") {
  const auto options = shape("reduce_on_plateau", "{factor: 0.5, patience: 2}");
  TrainerState state;
  const RunLength length;
  state.evaluations = objectives({5, 4, 4.5, 4.1});
  CHECK(learning_rate(options, state, length) == 1);
  state.evaluations = objectives({5, 4, 4.5, 3, 4});
  CHECK(learning_rate(options, state, length) == 2);
  state.evaluations = objectives({5, 6, 7, 8, 9});
  CHECK(learning_rate(options, state, length) == 0.5);
  const auto floored = shape("reduce_on_plateau", "{factor: 0.5, patience: 1, min_lr: 0.3}");
  CHECK(learning_rate(floored, state, length) == 0.3);
  CHECK(learning_rate(shape("reduce_on_plateau", "{min_lr: 5}"), state, length) == 2);
  // InferSent's schedule: a fifth after each validation without improvement, 0.99 for each epoch.
  const auto decayed = shape("reduce_on_plateau", "{factor: 0.2, patience: 1, decay: 0.99}");
  const RunLength epochs{{}, 10};
  TrainerState later;
  later.step = 39;
  later.evaluations = objectives({0.5, 0.4, 0.45});
  CHECK(learning_rate(decayed, later, epochs) == Approx(2 * 0.2 * std::pow(0.99, 3)));
  later.step = 40;
  later.evaluations = objectives({0.5, 0.4, 0.45, 0.4});
  CHECK(learning_rate(decayed, later, epochs) == Approx(2 * 0.04 * std::pow(0.99, 4)));
  later.step = 9;
  later.evaluations.clear();
  CHECK(learning_rate(decayed, later, epochs) == 2);
}

TEST_CASE("learning rate: step and exponential schedules decrease with the epochs", "[trainers]") {
  const RunLength length{{}, 10};
  const auto step = shape("step", "{every: 2e, factor: 0.5}");
  CHECK(learning_rate(step, at_step(19), length) == 2);
  CHECK(learning_rate(step, at_step(20), length) == 1);
  CHECK(learning_rate(step, at_step(45), length) == 0.5);
  CHECK(learning_rate(shape("step", "{every: 7u}"), at_step(14), length) == Approx(0.02));
  // Three epochs of 10 / 3 updates end with the tenth.
  const RunLength thirds{{}, 10.0 / 3};
  CHECK(learning_rate(shape("step", "{every: 3e, factor: 0.5}"), at_step(10), thirds) == 1);
  const auto smooth = shape("exponential", "{factor: 0.81}");
  CHECK(learning_rate(smooth, at_step(0), length) == 2);
  CHECK(learning_rate(smooth, at_step(5), length) == Approx(1.8));
  CHECK(learning_rate(smooth, at_step(20), length) == Approx(2 * 0.81 * 0.81));
  // A tenth of the run passes through them ten times as fast.
  CHECK(learning_rate(step, at_step(2, 10), length) == 1);
}

TEST_CASE("learning rate: the warm-up as a share of the run", "[trainers]") {
  const RunLength length{200, 10};
  const auto options = shape("linear", "{warmup_ratio: 0.1}");
  for (const int64_t step : {0, 19, 20, 110, 199}) {
    CHECK(learning_rate(options, at_step(step), length) ==
          learning_rate(shape("linear", "{warmup: 20u}"), at_step(step), length));
  }
  CHECK(options.schedule->needs_end());
  CHECK(is_warming_up(options, at_step(19), length));
  CHECK_FALSE(is_warming_up(options, at_step(20), length));
}

TEST_CASE("learning rate: the linear schedule of the sparse language model", "[trainers]") {
  auto options = shape("linear");
  options.lr = 6.25e-5;
  const RunLength length{1000, 1000};
  for (const auto& [step, lr] : std::vector<std::pair<int64_t, double>>{
           {0, 6.25e-5}, {1, 6.24375e-5}, {250, 4.6875e-5}, {999, 6.25e-8}, {1000, 0}}) {
    CHECK(learning_rate(options, at_step(step), length) == Approx(lr).epsilon(1e-12));
  }
}

TEST_CASE("learning rate: schedules are parsed, and their errors", "[trainers]") {
  const auto refused = [](const std::string& settings, const std::string& message) {
    const Node train = parse_yaml_or_throw("{optimizers: {default: {schedule: " + settings + "}}}");
    CHECK_THROWS_WITH(read_train_options(train), Contains(message));
  };
  refused("halve_on_stall", "'optimizers.default.schedule' must be one of constant, cosine");
  refused("{type: lineer}", "did you mean 'linear'?");
  refused("{type: step, evry: 2e}", "did you mean 'every'?");
  refused("{type: step, every: 3min}", "every must be a number of updates or epochs");
  refused("{type: cosine, factor: 2}", "unknown key 'optimizers.default.schedule.factor'");
  refused("{warmup: 3u, warmup_ratio: 0.1}", "warmup and warmup_ratio are mutually exclusive");
  // A schedule of another type replaces that of the default; one of its type is merged into it.
  const auto train = read_train_options(parse_yaml_or_throw(
      "{optimizers: {default: {schedule: {type: step, every: 2e}}, a: {schedule: constant}, "
      "b: {schedule: {factor: 0.5}}}}"));
  CHECK(train.optimizers.at("a").schedule.name() == "constant");
  CHECK(train.optimizers.at("b").schedule.name() == "step");
}

TEST_CASE("trigger: switches to averaging like the released code", "[trainers]") {
  const Choice<Trigger> trigger("non_monotonic");
  const auto fires_after = [&](const std::vector<double>& losses) {
    size_t count = 0;
    while (count <= losses.size() &&
           !trigger->fired(objectives({losses.begin(), losses.begin() + count}))) {
      ++count;
    }
    return count;
  };
  CHECK(fires_after({4.0, 3.8, 3.7, 3.65, 3.66, 3.64, 3.66, 3.65, 3.67, 3.66, 3.68}) == 10);
  CHECK(fires_after({4.0, 3.6, 3.7, 3.7, 3.7, 3.7, 3.7, 3.7}) == 8);
}

TEST_CASE("patience: validations without improvement, including NaN", "[trainers]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(validations_without_gain(objectives({})) == 0);
  CHECK(validations_without_gain(objectives({3, 2})) == 0);
  CHECK(validations_without_gain(objectives({3, 2, 2, nan})) == 2);
  CHECK(validations_without_gain(objectives({nan, nan})) == 2);
  CHECK(best_evaluation(objectives({nan})) == nullptr);
  CHECK(best_evaluation(objectives({3, 2, 2}))->step == 1);
}

TEST_CASE("periods: reached and passed in their own units", "[trainers]") {
  TrainerState start, before, after;
  start.passes = 0.8;
  before.step = 9, before.passes = 0.9, before.tokens = 900, before.seconds = 1;
  after.step = 10, after.passes = 1.0, after.tokens = 1000, after.seconds = 2;
  const auto passed = [](const Period& period, const TrainerState& from, const TrainerState& to) {
    PeriodicEvent event(period);
    event.restart(from);
    return event.due(to);
  };
  CHECK(passed(Period::updates(5), before, after));
  CHECK_FALSE(passed(Period::updates(4), before, after));
  CHECK(passed(Period::epochs(1), before, after));
  CHECK(passed(Period::epochs(0.5), before, after));
  CHECK_FALSE(passed(Period::epochs(0.5), start, before));
  CHECK(reached(Period::tokens(1000), after));
  CHECK_FALSE(reached(Period::seconds(2.5), after));
  PeriodicEvent event(Period::updates(5));
  CHECK(event.due(before));  // 5
  CHECK(event.due(after));   // 10
  CHECK_FALSE(event.due(after));
}
