#include <cmath>
#include <csignal>
#include <limits>
#include <sstream>

#include <ATen/Parallel.h>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/signals.h"
#include "framework/core/options/yaml.h"
#include "tests/temporary_folder.h"
#include "tests/trainers/linear_model.h"
#include "trainers/checkpointer.h"
#include "trainers/layout.h"
#include "trainers/run_length.h"
#include "trainers/trainer.h"
#include "trainers/validation.h"

#include "tests/catch.h"  // last, because LibTorch defines CHECK, too

using namespace lvtext;
using namespace lvtext::testing;
namespace fs = std::filesystem;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TrainOptions plain(const std::string& stop = "4u", double lr = 0.5) {
  TrainOptions options;
  options.device = "cpu";
  options.stop = *StopRule::parse(stop);
  OptimizerOptions sgd;
  sgd.type = OptimizerType::kSgd;
  sgd.lr = lr;
  sgd.clip_norm = 0;
  options.optimizers = {{"main", sgd}};
  return options;
}

DataLoaders constant(double value, int64_t count = 2) {
  return {{"train", std::make_shared<ConstantStream>(value, count)}};
}

Choice<StopCondition> stop_when(const std::string& text) {
  const Node node = parse_yaml_or_throw(text);
  return Choice<StopCondition>(node.find("type")->text(), node.without("type"));
}

Choice<LrSchedule> schedule(const std::string& type, const std::string& text) {
  return Choice<LrSchedule>(type, parse_yaml_or_throw(text));
}

/// Multiplies the loss of `phase` by `factor` from its `from`-th computation, `times` times.
LinearModel::Spoil spoil(const std::string& phase, double factor, int from, int times = 1000) {
  auto count = std::make_shared<int>(0);
  return [=](const std::string& name, const at::Tensor& loss) {
    if (name != phase) return loss;
    const int now = ++*count;
    return now >= from && now < from + times ? loss * factor : loss;
  };
}

}  // namespace

TEST_CASE("tokens: every sentence of an example has an EOS", "[trainers]") {
  Batch batch{at::arange(3), {{"label", at::zeros({3}, at::kLong)}}};
  CHECK(target_tokens(batch) == 3);  // examples without text
  batch.fields["text"] = at::zeros({3, 4}, at::kLong);
  batch.fields["text.lengths"] = at::tensor({4, 0, 2}, at::kLong);
  CHECK(target_tokens(batch) == 6 + 3);
  batch.fields["hypothesis.lengths"] = at::tensor({1, 1, 1}, at::kLong);
  CHECK(target_tokens(batch) == 6 + 3 + 3 + 3);
}

TEST_CASE("trainer: steps equal those computed by hand", "[trainers]") {
  const auto model = std::make_shared<LinearModel>();
  MemoryHost host;
  const TrainResult result = Trainer(model, plain(), constant(1), {}, host).train();
  // w <- w - 0.5 (w - 1): the distance halves each step.
  CHECK(model->w() == Approx(1 - std::pow(0.5, 4)).epsilon(1e-14));
  CHECK(result.steps == 4);
  CHECK(result.stopped_by == "4u");
}

TEST_CASE("trainer: stops after epochs, and at the first of several limits", "[trainers]") {
  const auto steps = [](const std::string& stop) {
    MemoryHost host;
    return Trainer(std::make_shared<LinearModel>(), plain(stop), constant(1, 3), {}, host)
        .train()
        .steps;
  };
  CHECK(steps("2e") == 6);
  CHECK(steps("2e,5u") == 5);
  CHECK(steps("0.5e") == 2);
  CHECK(steps("7t") == 4);  // two rows of one EOS each per step
}

TEST_CASE("trainer: planned updates, and limits in minutes without a plan", "[trainers]") {
  const LinearModel model;
  TrainOptions options = plain("2e,100u");
  CHECK(run_length(model, options, constant(1, 3)).planned == 6);
  options.stop = *StopRule::parse("3min");
  CHECK_FALSE(run_length(model, options, constant(1, 3)).planned);
  options.schedule_length = Period::updates(100);
  CHECK_THROWS_AS(run_length(model, options, constant(1, 3)), ConfigError);
}

TEST_CASE("trainer: the gradient's norm is clipped", "[trainers]") {
  const auto model = std::make_shared<LinearModel>();
  MemoryHost host;
  TrainOptions options = plain("1u", 1);
  options.optimizers.at("main").clip_norm = 0.25;
  Trainer(model, options, constant(100), {}, host).train();
  CHECK(model->w() == Approx(0.25 * 100 / (100 + 1e-6)).epsilon(1e-14));
}

TEST_CASE("trainer: clipping matches the numeric case of the released ARAE", "[trainers]") {
  struct Gradients : DataLoader {
    int64_t batches(int64_t) const override { return 1; }
    Batch batch(int64_t, int64_t) const override {
      return {at::arange(1),
              {{"value", at::tensor({-3.0, -4.0, -12.0}, at::kDouble).view({1, 3})}}};
    }
  };
  const auto model = std::make_shared<LinearModel>(LinearModel::Spoil{}, 3);
  MemoryHost host;
  TrainOptions options = plain("1u", 1);
  options.optimizers.at("main").clip_norm = 1;
  Trainer(model, options, {{"train", std::make_shared<Gradients>()}}, {}, host).train();
  // 1e-6 is added to the norm of 13: without it the first two would end in 23 and 31.
  const at::Tensor expected = at::tensor({0.23076921, 0.30769228, 0.92307685}, at::kDouble);
  CHECK(at::allclose(-model->named_parameters()["w"], expected, 0, 1e-8));
}

TEST_CASE("trainer: patience ends a run without improvement; the best weights are selected",
          "[trainers]") {
  const auto model = std::make_shared<LinearModel>();
  MemoryHost host;
  TrainOptions options = plain("100u");
  options.validate_every = Period::updates(1);
  options.stop_when = {stop_when("{type: patience, validations: 3}")};
  // Training converges to 1, validation has its optimum at 0.6: step 1 (w = 0.5) is best, steps 2
  // to 4 are worse.
  const TrainResult result = Trainer(model, options, constant(1), constant(0.6), host).train();
  CHECK(result.stopped_by == "patience");
  CHECK(result.steps == 4);
  CHECK(result.best_step == 1);
  CHECK(result.best_objective == Approx(0.005));
  CHECK(model->w() == 0.5);
}

TEST_CASE("trainer: conditions on learning rates and metrics end a run", "[trainers]") {
  TrainOptions options = plain("100u");
  options.validate_every = Period::updates(2);
  const auto run = [&] {
    MemoryHost host;
    return Trainer(std::make_shared<LinearModel>(), options, constant(1), constant(1), host)
        .train();
  };
  SECTION("the rate of a schedule") {
    options.optimizers.at("main").schedule = schedule("step", "{every: 3u, factor: 0.5}");
    options.stop_when = {stop_when("{type: lr_below, value: 0.2}")};
    // 0.5 until step 3, 0.25 until step 6, then 0.125.
    CHECK(run().steps == 6);
    CHECK(run().stopped_by == "lr_below");
  }
  SECTION("a warm-up does not count as a low rate") {
    options.optimizers.at("main").schedule =
        schedule("step", "{every: 8u, factor: 0.1, warmup: 5u}");
    options.stop_when = {stop_when("{type: lr_below, value: 0.2}")};
    CHECK(run().steps == 8);
  }
  SECTION("a metric below a value, at a validation") {
    options.stop_when = {stop_when("{type: metric_below, metric: first/fit, value: 1e-3}")};
    // (1 / 2^t)^2 / 2 after t steps: 0.00195 at 4, 0.000122 at 6.
    CHECK(run().steps == 6);
    CHECK(run().stopped_by == "metric_below");
  }
  SECTION("a metric above a value; the first condition that holds") {
    options.stop_when = {stop_when("{type: patience, validations: 50}"),
                         stop_when("{type: metric_above, value: 1e-3}")};
    CHECK(run().steps == 2);
    CHECK(run().stopped_by == "metric_above");
  }
  SECTION("an unknown metric") {
    options.stop_when = {stop_when("{type: metric_below, metric: first/fti, value: 1}")};
    CHECK_THROWS_WITH(
        run(), Contains("train.stop_when: 'first/fti'") && Contains("did you mean 'first/fit'?"));
  }
}

TEST_CASE("trainer: components that read the history are restored after a kill at every step",
          "[trainers]") {
  TrainOptions options = plain("40u", 0.4);
  options.validate_every = Period::updates(1);
  options.select_checkpoint = SelectWeights::kLast;
  OptimizerOptions& optimizer = options.optimizers.at("main");
  // Training converges to 1, validation has its optimum at 0.6: the objective falls, then rises.
  SECTION("averaging started by a trigger") {
    optimizer.type = OptimizerType::kAsgd;
    optimizer.lr = 0.05;
    optimizer.lambda = 0;
    optimizer.t0 = Choice<Trigger>("non_monotonic", parse_yaml_or_throw("{patience: 2}"));
  }
  SECTION("a schedule and a condition") {
    optimizer.schedule = schedule("reduce_on_plateau", "{factor: 0.5, patience: 2}");
    options.stop_when = {stop_when("{type: lr_below, value: 0.01}")};
  }
  const auto make = [&](Host& host) {
    auto model = std::make_shared<LinearModel>();
    auto trainer = std::make_unique<Trainer>(model, options, constant(1), constant(0.6), host);
    return std::pair(std::move(model), std::move(trainer));
  };
  MemoryHost undisturbed;
  const auto [whole, first] = make(undisturbed);
  const TrainResult expected = first->train();
  MemoryHost host;
  for (int64_t step = 0; step < expected.steps; ++step) {
    const auto [model, trainer] = make(host);
    trainer->resume();
    trainer->step();
    trainer->save();
  }
  const auto [model, trainer] = make(host);
  const TrainResult result = trainer->train();
  CHECK(model->w() == whole->w());
  CHECK(model->v() == whole->v());
  CHECK(result.steps == expected.steps);
  CHECK(result.stopped_by == expected.stopped_by);
  CHECK(host.log_text() == undisturbed.log_text());
}

TEST_CASE("trainer: a resumed training has the number of threads of its checkpoint", "[trainers]") {
  const int before = at::get_num_threads();
  MemoryHost host;
  const auto resume = [&host] {
    auto trainer = std::make_unique<Trainer>(std::make_shared<LinearModel>(), plain(), constant(1),
                                             constant(0.6), host);
    trainer->resume();
    return trainer;
  };
  at::set_num_threads(1);
  {
    const auto trainer = resume();
    trainer->step();
    trainer->save();
  }
  at::set_num_threads(2);
  resume();
  CHECK(at::get_num_threads() == 1);
  at::set_num_threads(before);
}

TEST_CASE("trainer: a stop within a step is obeyed after the step, whose state is saved",
          "[trainers]") {
  const TrainOptions options = plain("6u", 0.4);
  const auto make = [&](Host& host, const LinearModel::Spoil& spoil) {
    auto model = std::make_shared<LinearModel>(spoil);
    auto trainer = std::make_unique<Trainer>(model, options, constant(1), constant(0.6), host);
    return std::pair(std::move(model), std::move(trainer));
  };
  MemoryHost undisturbed, host;
  const auto [whole, expected] = make(undisturbed, {});
  expected->train();
  {
    const StopSignals signals;
    int64_t steps = 0;
    // As a model that decodes within the second phase of its third step, after the first phase has
    // updated its parameters.
    const auto [model, trainer] = make(host, [&](const std::string& phase, const at::Tensor& loss) {
      if (phase == "second" && ++steps == 3) request_stop(SIGTERM);
      throw_if_stopped();
      return loss;
    });
    CHECK_THROWS_AS(trainer->train(), Interrupted);
    CHECK(trainer->state().step == 3);
  }
  const StopSignals signals;  // clears the request
  const auto [model, trainer] = make(host, {});
  trainer->resume();
  CHECK(trainer->state().step == 3);
  trainer->train();
  CHECK(model->w() == whole->w());
  CHECK(model->v() == whole->v());
}

TEST_CASE("trainer: a step that was stopped before its validation is not complete", "[trainers]") {
  const TemporaryFolder folder;
  MemoryHost host;
  TrainOptions options = plain("6u");
  options.validate_every = Period::updates(2);
  const auto completed = [&] {
    save_checkpoint(folder.path, 2, host.resume()->contents);
    return completed_steps(folder.path);
  };
  CHECK(!completed_steps(folder.path));
  int steps = 0;
  const auto model = std::make_shared<LinearModel>([&](const std::string& phase, const auto& loss) {
    if (phase == "second" && ++steps == 2) request_stop(SIGTERM);
    return loss;
  });
  {
    const StopSignals signals;
    CHECK_THROWS_AS(Trainer(model, options, constant(1), constant(0.6), host).train(2),
                    Interrupted);
    CHECK(completed() == 1);
  }
  const StopSignals signals;  // clears the request
  // Resumed, it validates and saves again, at the same step.
  CHECK_THROWS_AS(Trainer(model, options, constant(1), constant(0.6), host).train(2), Paused);
  CHECK(completed() == 2);
}

TEST_CASE("trainer: an average started by a trigger is evaluated", "[trainers]") {
  TrainOptions options = plain("20u", 0.2);
  options.validate_every = Period::updates(1);
  options.select_checkpoint = SelectWeights::kLast;
  OptimizerOptions& optimizer = options.optimizers.at("main");
  optimizer.type = OptimizerType::kAsgd;
  optimizer.lambda = 0;
  optimizer.t0 = Choice<Trigger>("non_monotonic", parse_yaml_or_throw("{patience: 1}"));
  MemoryHost host;
  const auto model = std::make_shared<LinearModel>();
  Trainer trainer(model, options, constant(1), constant(0.5), host);
  trainer.train();
  // w after t steps is 1 - 0.8^t; nearest 0.5 at t = 3 (0.488), worse than that two validations
  // later (t = 5). Steps 6 and 7 reset the average; later steps are included in it.
  double w = 0;
  double mean = 0;
  for (int t = 1; t <= 20; ++t) {
    w += 0.2 * (1 - w);
    mean = t <= 7 ? w : mean + (w - mean) / (t - 6);
  }
  CHECK(model->w() == Approx(mean).epsilon(1e-14));
}

TEST_CASE("trainer: the last weights, if the recipe selects them", "[trainers]") {
  const auto model = std::make_shared<LinearModel>();
  MemoryHost host;
  TrainOptions options = plain("3u");
  options.validate_every = Period::updates(1);
  options.select_checkpoint = SelectWeights::kLast;
  SECTION("without averaging") {
    const auto result = Trainer(model, options, constant(1), constant(0.6), host).train();
    CHECK(result.selected_step == 3);
    CHECK(model->w() == 0.875);
  }
  SECTION("the mean of the last two validated ones") {
    options.average = 2;
    Trainer(model, options, constant(1), constant(0.6), host).train();
    CHECK(model->w() == (0.75 + 0.875) / 2);
  }
}

TEST_CASE("trainer: the moving average is evaluated and selected", "[trainers]") {
  const auto model = std::make_shared<LinearModel>();
  MemoryHost host;
  TrainOptions options = plain("2u");
  options.ema = 0.75;
  options.validate_every = Period::updates(2);
  const auto result = Trainer(model, options, constant(1), constant(0), host).train();
  // 0 -> 0.25 * 0.5 = 0.125 -> 0.75 * 0.125 + 0.25 * 0.75 = 0.28125
  CHECK(model->w() == Approx(0.28125).epsilon(1e-14));
  CHECK(result.best_objective == Approx(0.28125 * 0.28125 / 2));
}

TEST_CASE("trainer: constraints are applied after an update, or before the next", "[trainers]") {
  const auto model = std::make_shared<LinearModel>();
  MemoryHost host;
  SECTION("after") {
    model->constraint = {Constraint::kClamp, 0.3, Constraint::kAfter};
    Trainer(model, plain("1u"), constant(1), {}, host).train();
    CHECK(model->v() == 0.3);
  }
  SECTION("before") {
    model->constraint = {Constraint::kClamp, 0.3, Constraint::kBefore};
    Trainer(model, plain("2u"), constant(1), {}, host).train();
    // 0 -> 0.5, clamped to 0.3, then 0.3 + 0.5 * 0.7.
    CHECK(model->v() == Approx(0.65).epsilon(1e-14));
  }
}

TEST_CASE("trainer: a loss that is not finite stops the run before any parameter changes",
          "[trainers]") {
  for (const double bad : {kNan, kInf, -kInf}) {
    for (const int at : {1, 3}) {
      const auto model = std::make_shared<LinearModel>(spoil("second", bad, at));
      MemoryHost host;
      Trainer trainer(model, plain("8u"), constant(1), {}, host);
      try {
        trainer.train();
        FAIL("was not detected");
      } catch (const Error& error) {
        CHECK(error.code() == Exit::kSomeFailed);
        CHECK_THAT(error.what(), Contains("step " + std::to_string(at)) && Contains("'fit'"));
      }
      // The previous phase of the same step was applied, the parameter of this one is unchanged.
      CHECK(model->w() == Approx(1 - std::pow(0.5, at)));
      CHECK(model->v() == Approx(1 - std::pow(0.5, at - 1)));
      CHECK(host.diagnostics()["phase"] == "second");
      CHECK(host.diagnostics()["examples"]["train"].size() == 2);
    }
  }
}

TEST_CASE("trainer: an invalid gradient of a finite loss is named", "[trainers]") {
  const auto model = std::make_shared<LinearModel>([](const std::string&, const at::Tensor& loss) {
    at::Tensor tapped = loss.view_as(loss);
    tapped.register_hook([](const at::Tensor& gradient) { return gradient * kInf; });
    return tapped;
  });
  MemoryHost host;
  Trainer trainer(model, plain(), constant(1), {}, host);
  CHECK_THROWS_WITH(trainer.train(), Contains("gradient of 'w'"));
  CHECK(model->w() == 0);
}

TEST_CASE("trainer: diagnostics in a run's folder have a documented schema", "[trainers]") {
  const TemporaryFolder scratch;
  RunFolder folder(scratch.path / "run");
  FolderHost host(folder, Retention{}, "train: {}\n");
  const auto model = std::make_shared<LinearModel>(spoil("second", kNan, 1));
  CHECK_THROWS_WITH(Trainer(model, plain(), constant(1), {}, host).train(),
                    Contains("nonfinite.json"));
  const auto written = nlohmann::json::parse(read_file(scratch.path / "run" / "nonfinite.json"));
  CHECK(written.at("schema") == "lvtext.nonfinite/1");
  CHECK(written.at("phase") == "second");
}

TEST_CASE("trainer: validations without an objective select nothing", "[trainers]") {
  TrainOptions options = plain();
  MemoryHost host;
  const auto train = std::make_shared<ConstantStream>(1, 3);
  const auto make = [&](DataLoaders validation) {
    Trainer(std::make_shared<LinearModel>(), options, {{"train", train}}, std::move(validation),
            host);
  };
  const DataLoaders other = {{"other", std::make_shared<ConstantStream>(1, 1)}};
  options.stop_when = {stop_when("{type: patience, validations: 2}")};
  CHECK_THROWS_WITH(make(other),
                    Contains("train.select_checkpoint: best and train.stop_when: patience") &&
                        Contains("which this model does not define"));
  make({{"train", train}});
  options.select_checkpoint = SelectWeights::kLast;
  options.stop_when.clear();
  make(other);
}

TEST_CASE("trainer: phases that are not validated have no validated terms", "[trainers]") {
  struct Unvalidated : LinearModel {
    std::vector<Phase> phases() const override {
      auto all = LinearModel::phases();
      all[0].validated = false;
      return all;
    }
  };
  TrainOptions options = plain();
  options.select_checkpoint = SelectWeights::kLast;
  MemoryHost host;
  Trainer trainer(std::make_shared<Unvalidated>(), options, constant(3), constant(3), host);
  const Evaluation evaluation = trainer.validate();
  CHECK(evaluation.terms == std::map<std::string, double>{{"second/fit", 4.5}});
  CHECK(evaluation.objective == 0);
}

TEST_CASE("trainer: transitions are the tokens that follow another one", "[trainers]") {
  const Batch batch{at::arange(4, at::kLong),
                    {{"text.lengths", at::tensor(std::vector<int64_t>{4, 1, 0, 2}, at::kLong)}}};
  CHECK(term_count({.name = "nll", .denominator = Denominator::kTransitions}, {batch}) == 4);
}

TEST_CASE("trainer: a model's warnings are in the log after a validation", "[trainers]") {
  class Worried : public LinearModel {
    std::vector<Warning> warnings(const TrainingMeans& means) const override {
      return {{"too_far", "the fit is " + std::to_string(means.at("first/fit"))}};
    }
  };
  TrainOptions options = plain("6u");
  options.log_every = Period::updates(1);
  options.validate_every = Period::updates(3);
  MemoryHost host;
  Trainer(std::make_shared<Worried>(), options, constant(1), constant(1), host).train();
  std::vector<int64_t> steps;
  std::istringstream lines(host.log_text());
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    if (!json.contains("warnings")) continue;
    steps.push_back(json.at("step").get<int64_t>());
    CHECK(json.at("warnings").at(0).at("id") == "too_far");
  }
  const std::vector<int64_t> expected = {4, 5, 6};
  CHECK(steps == expected);
}

TEST_CASE("trainer: skipping omits the rest of the step, within a limit", "[trainers]") {
  TrainOptions options = plain("6u");
  options.nonfinite = {NonFinite::kSkip, 2, 4};
  options.log_every = Period::updates(3);
  MemoryHost host;
  SECTION("two bad steps are skipped") {
    const auto model = std::make_shared<LinearModel>(spoil("first", kNan, 2, 2));
    Trainer(model, options, constant(1), {}, host).train();
    CHECK(model->w() == Approx(1 - std::pow(0.5, 4)));
    CHECK(model->v() == Approx(1 - std::pow(0.5, 4)));
    CHECK(model->seen() == 8);  // buffers are as if the skipped phases had not run
    CHECK_THAT(host.log_text(), Contains("first/seen") && !Contains("null"));  // and so is the log
  }
  SECTION("a third one within the window stops the run") {
    const auto model = std::make_shared<LinearModel>(spoil("first", kNan, 2));
    Trainer trainer(model, options, constant(1), {}, host);
    CHECK_THROWS_WITH(trainer.train(), Contains("step 4") && Contains("budget"));
  }
}

TEST_CASE("trainer: a diverged training fails if no validation of its weights is finite",
          "[trainers]") {
  TrainOptions options = plain("6u");
  options.validate_every = Period::updates(2);
  options.nonfinite = {NonFinite::kSkip, 100, 100};
  MemoryHost host;
  SECTION("all validations are undefined") {
    const auto model = std::make_shared<LinearModel>(spoil("first", kNan, 1));
    Trainer trainer(model, options, constant(1), constant(kNan), host);
    CHECK_THROWS_WITH(trainer.train(), Contains("diverged") && Contains("step 6") &&
                                           Contains("3 of 3 validations are undefined") &&
                                           Contains("of 6 steps were skipped"));
  }
  SECTION("skipped steps are counted") {
    const auto model = std::make_shared<LinearModel>(spoil("first", kNan, 2, 2));
    const TrainResult result = Trainer(model, options, constant(1), constant(1), host).train();
    CHECK(result.skipped == 2);
    CHECK(result.undefined_validations == 0);
  }
}

TEST_CASE("validation: defined if the objective is finite, without one if a term is",
          "[trainers]") {
  CHECK(is_defined({.objective = 1, .terms = {{"a", 1}}}));
  CHECK_FALSE(is_defined({.objective = kNan, .terms = {{"a", 1}}}));
  CHECK(is_defined({.objective = 0, .terms = {{"a", kNan}, {"b", 1}}}));
  CHECK_FALSE(is_defined({.objective = 0, .terms = {{"a", kNan}}}));
}

TEST_CASE("trainer: a stop within an update saves none of it", "[trainers]") {
  TrainOptions options = plain("6u");
  options.save_every = Period::updates(2);
  int calls = 0;
  const auto stopped =
      std::make_shared<LinearModel>([&calls](const std::string& phase, const at::Tensor& loss) {
        if (phase == "second" && ++calls == 4) throw Interrupted("stopped");
        return loss;
      });
  MemoryHost host, undisturbed;
  CHECK_THROWS_AS(Trainer(stopped, options, constant(1), {}, host).train(), Interrupted);
  const auto resumed = std::make_shared<LinearModel>();
  Trainer(resumed, options, constant(1), {}, host).train();
  const auto whole = std::make_shared<LinearModel>();
  Trainer(whole, options, constant(1), {}, undisturbed).train();
  CHECK(resumed->w() == whole->w());
  CHECK(resumed->v() == whole->v());
  CHECK(resumed->seen() == whole->seen());
}

TEST_CASE("trainer: accumulation is exact for unequal parts", "[trainers]") {
  for (const int64_t part : {1, 2, 3, 100}) {
    const auto model = std::make_shared<LinearModel>();
    MemoryHost host;
    TrainOptions options = plain("3u");
    options.batch.micro_size = part;
    const DataLoaders five = {{"train", std::make_shared<ConstantStream>(1, 2, 5)}};
    Trainer(model, options, five, {}, host).train();
    CHECK(model->w() == Approx(0.875).epsilon(1e-14));
  }
}

TEST_CASE("trainer: models that violate their contract are rejected", "[trainers]") {
  const auto refused = [](auto regroup, const std::string& message) {
    const auto model = std::make_shared<LinearModel>();
    model->regroup = regroup;
    MemoryHost host;
    CHECK_THROWS_WITH(Trainer(model, plain(), constant(1), {}, host), Contains(message));
  };
  using Groups = std::vector<ParamGroup>;
  refused(
      [](const at::Tensor& w, const at::Tensor&) {
        return Groups{{"w", {{"w", w}}, {}}};
      },
      "'v' is in no group");
  refused(
      [](const at::Tensor& w, const at::Tensor& v) {
        return Groups{{"w", {{"w", w}}, {}}, {"v", {{"v", v}, {"again", w}}, {}}};
      },
      "'again' is in groups 'w' and 'v'");
  refused(
      [](const at::Tensor& w, const at::Tensor& v) {
        return Groups{{"w", {{"w", w}, {"v", v}}, {}}};
      },
      "unknown group 'v'");
}

TEST_CASE("trainer: a batch that is too small for the model is rejected", "[trainers]") {
  const auto model = std::make_shared<LinearModel>();
  model->fewest = 2;
  MemoryHost host;
  TrainOptions options = plain();
  options.batch.size = 1;
  CHECK_THROWS_WITH(Trainer(model, options, constant(1), {}, host),
                    Contains("train.batch.size:") && Contains("at least 2") && Contains("got 1"));
  options.batch.size = 2;
  Trainer(model, options, constant(1), {}, host);
}

TEST_CASE("trainer: errors of unknown optimizer names suggest the nearest", "[trainers]") {
  TrainOptions options = plain();
  options.optimizers["mian"] = {};
  MemoryHost host;
  CHECK_THROWS_WITH(Trainer(std::make_shared<LinearModel>(), options, constant(1), {}, host),
                    Contains("train.optimizers.mian") && Contains("did you mean 'main'"));
}

TEST_CASE("trainer: a checkpoint of another width is rejected with the tensor's name",
          "[trainers]") {
  MemoryHost host;
  Trainer(std::make_shared<LinearModel>(), plain(), constant(1), {}, host).train();
  Trainer wide(std::make_shared<LinearModel>(LinearModel::Spoil{}, 3), plain(), constant(1), {},
               host);
  CHECK_THROWS_AS(wide.train(), DataError);
  CHECK_THROWS_WITH(wide.train(), Contains("w"));
}

TEST_CASE("trainer: a longer stop continues the shorter run bit for bit", "[trainers]") {
  MemoryHost apart;
  TrainOptions options = plain("3u", 0.3);
  options.log_every = options.validate_every = Period::updates(2);
  Trainer(std::make_shared<LinearModel>(), options, constant(1), constant(0.6), apart).train();
  options.stop = *StopRule::parse("7u");
  const auto continued = std::make_shared<LinearModel>();
  Trainer(continued, options, constant(1), constant(0.6), apart).train();
  MemoryHost whole;
  const auto fresh = std::make_shared<LinearModel>();
  Trainer(fresh, options, constant(1), constant(0.6), whole).train();
  CHECK(continued->w() == fresh->w());
  CHECK(apart.log_text() == whole.log_text());
}

TEST_CASE("trainer: a missing, truncated or modified log is restored from the checkpoint",
          "[trainers]") {
  const TemporaryFolder scratch;
  TrainOptions options = plain("7u", 0.3);
  options.log_every = options.validate_every = Period::updates(1);
  const auto train = [&](const fs::path& path, int64_t until) {
    RunFolder folder(path);
    FolderHost host(folder, Retention{}, "train: {}\n");
    Trainer trainer(std::make_shared<LinearModel>(), options, constant(1), constant(0.6), host);
    trainer.resume();
    while (trainer.state().step < until) trainer.step();
    trainer.save();
    return read_file(path / "log.jsonl");
  };
  const std::string whole = train(scratch.path / "whole", 7);
  const fs::path path = scratch.path / "resumed";
  const std::string half = train(path, 4);
  const fs::path log = path / "log.jsonl";
  SECTION("missing") {
    fs::remove(log);
  }
  SECTION("truncated within a line") {
    fs::resize_file(log, half.size() - 5);
  }
  SECTION("empty") {
    fs::resize_file(log, 0);
  }
  SECTION("another number") {
    std::string changed = half;
    changed[half.find("\"step\":") + 7] = '9';
    write_file_synced(log, changed);
  }
  SECTION("lines that are in no checkpoint") {
    write_file_synced(log, half + half);
  }
  CHECK(train(path, 7) == whole);
}

TEST_CASE("trainer: options are parsed, and their errors", "[trainers]") {
  const auto read = [](const std::string& text) {
    return parse_options_or_throw<TrainOptions>(parse_yaml_or_throw(text));
  };
  const TrainOptions options =
      read("{stop: '20e,30min', optimizers: {default: {type: sgd, lr: 0.1}}, keep: {last: 3}}");
  CHECK(options.stop.any.size() == 2);
  CHECK(optim_options(options, "anything").type == OptimizerType::kSgd);
  CHECK(optim_options(TrainOptions{}, "adam").rate() == 1e-3);
  CHECK_THROWS_AS(read("{keep: {last: 1}}"), ConfigError);
  CHECK_THROWS_AS(read("{log_every: 3min}"), ConfigError);
  const KeepOptions keep = read("{keep: {checkpoints: 0.5e, until: scored}}").keep;
  CHECK(keep.checkpoints == Period::epochs(0.5));
  CHECK(keep.until == KeepUntil::kScored);
  CHECK_THROWS_AS(read("{keep: {checkpoints: 3min}}"), ConfigError);
  CHECK_THROWS_AS(read("{keep: {checkpoints: 0u}}"), ConfigError);
  CHECK_THROWS_AS(read("{keep: {until: scored}}"), ConfigError);
  CHECK_THROWS_AS(read("{optimizers: {default: {betas: [0.9]}}}"), ConfigError);
}
