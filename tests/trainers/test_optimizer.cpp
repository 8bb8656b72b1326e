#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "tests/catch.h"
#include "trainers/optimizer.h"

using namespace lvtext;

namespace {

/// Gradient of step `t` (from 1).
at::Tensor gradient(int t) {
  return normal_step({3, static_cast<uint64_t>(t), 0, 0}, {5}, at::TensorOptions(at::kDouble));
}

at::Tensor start() {
  return normal_step({4, 0, 0, 0}, {5}, at::TensorOptions(at::kDouble));
}

/// Parameter after 50 steps of lvtext's optimizer.
at::Tensor ours(const OptimizerOptions& options, at::ScalarType dtype = at::kDouble) {
  Optimizer optimizer("test", options);
  const NamedTensors params = {{"a.w", start().to(dtype).requires_grad_()}};
  for (int t = 1; t <= 50; ++t) optimizer.step(params, {gradient(t).to(dtype)}, options.rate());
  return params[0].second.detach().to(at::kDouble);
}

/// Applies `rule(w, g, t)` to each number 50 times.
template <class Make>
at::Tensor by_hand(const Make& make) {
  at::Tensor result = start();
  for (int64_t i = 0; i < result.numel(); ++i) {
    auto rule = make();
    double w = result[i].item<double>();
    for (int t = 1; t <= 50; ++t) w = rule(w, gradient(t)[i].item<double>(), t);
    result[i] = w;
  }
  return result;
}

double gap(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

OptimizerOptions options_of(OptimizerType type, double lr, double decay = 0, double momentum = 0) {
  OptimizerOptions options;
  options.type = type;
  options.lr = lr;
  options.weight_decay = decay;
  options.momentum = momentum;
  return options;
}

auto adam_by_hand(const OptimizerOptions& o, bool decoupled) {
  return by_hand([=] {
    return [=, m = 0.0, v = 0.0](double w, double g, int t) mutable {
      if (decoupled) {
        w *= 1 - o.rate() * o.decay();
      } else {
        g += o.decay() * w;
      }
      m = o.betas[0] * m + (1 - o.betas[0]) * g;
      v = o.betas[1] * v + (1 - o.betas[1]) * g * g;
      const double first = m / (1 - std::pow(o.betas[0], t));
      const double second = v / (1 - std::pow(o.betas[1], t));
      return w - o.rate() * first / (std::sqrt(second) + o.eps);
    };
  });
}

}  // namespace

TEST_CASE("optimizer: adam and adamw equal their formulas", "[trainers]") {
  for (const double decay : {0.0, 0.1}) {
    const auto adam = options_of(OptimizerType::kAdam, 0.01, decay);
    CHECK(gap(ours(adam), adam_by_hand(adam, false)) < 1e-12);
    CHECK(gap(ours(adam, at::kFloat), adam_by_hand(adam, false)) < 1e-5);
    const auto adamw = options_of(OptimizerType::kAdamW, 0.01, decay);
    CHECK(gap(ours(adamw), adam_by_hand(adamw, true)) < 1e-12);
  }
}

TEST_CASE("optimizer: adamw's forms match the numeric cases of their sources", "[trainers]") {
  // Case, gradients, eps, decay, and the parameter after each step from 1 on.
  struct Case {
    AdamwForm form;
    std::vector<double> gradients;
    double eps, decay;
    std::vector<double> expected;
  };
  const std::vector<Case> cases = {
      {AdamwForm::kTransformers, {1e-3, -2e-3}, 1e-8, 0.01, {.999936894797, .999959148057}},
      {AdamwForm::kTorch, {1e-3, -2e-3}, 1e-8, 0.01, {.999936875625, .999959131990}},
      {AdamwForm::kTransformers, {1e-6}, 1e-6, 0, {.999998084161}},
      {AdamwForm::kTorch, {1e-6}, 1e-6, 0, {.999968750000}}};
  for (const auto& each : cases) {
    auto options = options_of(OptimizerType::kAdamW, 6.25e-5, each.decay);
    options.form = each.form;
    options.eps = each.eps;
    Optimizer optimizer("test", options);
    const NamedTensors params = {{"w", at::ones({1}, at::kDouble)}};
    for (size_t t = 0; t < each.gradients.size(); ++t) {
      optimizer.step(params, {at::full({1}, each.gradients[t], at::kDouble)}, options.rate());
      // The sources print twelve digits.
      CHECK(std::abs(params[0].second.item<double>() - each.expected[t]) <= 0.5e-12);
    }
  }
}

TEST_CASE("optimizer: adamw in the form of transformers equals its formula", "[trainers]") {
  for (const double decay : {0.0, 0.1}) {
    auto o = options_of(OptimizerType::kAdamW, 0.01, decay);
    o.form = AdamwForm::kTransformers;
    const at::Tensor expected = by_hand([=] {
      return [=, m = 0.0, v = 0.0](double w, double g, int t) mutable {
        m = o.betas[0] * m + (1 - o.betas[0]) * g;
        v = o.betas[1] * v + (1 - o.betas[1]) * g * g;
        const double size =
            o.rate() * std::sqrt(1 - std::pow(o.betas[1], t)) / (1 - std::pow(o.betas[0], t));
        w -= size * m / (std::sqrt(v) + o.eps);
        return w - o.rate() * o.decay() * w;
      };
    });
    CHECK(gap(ours(o), expected) < 1e-12);
    CHECK(gap(ours(o, at::kFloat), expected) < 1e-5);
  }
}

TEST_CASE("optimizer: sgd with momentum and decay equals its formula", "[trainers]") {
  for (const double momentum : {0.0, 0.9}) {
    const auto o = options_of(OptimizerType::kSgd, 0.01, 0.1, momentum);
    CHECK(gap(ours(o), by_hand([&] {
                return [&, buffer = 0.0](double w, double g, int) mutable {
                  buffer = o.momentum * buffer + g + o.decay() * w;
                  return w - o.rate() * buffer;
                };
              })) < 1e-12);
  }
}

TEST_CASE("optimizer: rmsprop equals its formula", "[trainers]") {
  for (const double momentum : {0.0, 0.9}) {
    const auto o = options_of(OptimizerType::kRmsprop, 0.001, 0.1, momentum);
    CHECK(gap(ours(o), by_hand([&] {
                return [&, square = 0.0, buffer = 0.0](double w, double g, int) mutable {
                  g += o.decay() * w;
                  square = o.alpha * square + (1 - o.alpha) * g * g;
                  buffer = o.momentum * buffer + g / (std::sqrt(square) + o.eps);
                  return w - o.rate() * buffer;
                };
              })) < 1e-12);
  }
}

TEST_CASE("optimizer: asgd equals its formula and averages from t0", "[trainers]") {
  auto o = options_of(OptimizerType::kAsgd, 0.01);
  o.t0 = 10.0;
  const auto rule = [&] {
    return [&](double w, double g, int t) {
      const double eta = o.rate() / std::pow(1 + o.lambda * o.rate() * (t - 1), o.power);
      return w * (1 - o.lambda * eta) - eta * g;
    };
  };
  CHECK(gap(ours(o), by_hand(rule)) < 1e-12);

  Optimizer optimizer("test", o);
  const NamedTensors params = {{"w", start()}};
  std::vector<at::Tensor> path;
  for (int t = 1; t <= 30; ++t) {
    optimizer.step(params, {gradient(t)}, o.rate());
    path.push_back(params[0].second.clone());
  }
  // mu is 1 up to step 12, then 1/2, 1/3, ...: the mean of the values from step 12 on.
  const at::Tensor tail = at::stack(std::vector<at::Tensor>(path.begin() + 11, path.end())).mean(0);
  CHECK(gap(optimizer.averages().at("w"), tail) < 1e-12);
}

TEST_CASE("optimizer: asgd averages from its trigger, independent of restoring", "[trainers]") {
  auto o = options_of(OptimizerType::kAsgd, 0.01, 0.1);
  o.t0 = Choice<Trigger>("non_monotonic");
  o.lambda = 0;
  Optimizer optimizer("test", o);
  const NamedTensors params = {{"w", start()}};
  at::Tensor w = start();
  at::Tensor mean;
  for (int t = 1; t <= 12; ++t) {
    const int k = t - 7;  // updates since it fired, including this one
    optimizer.step(params, {gradient(t)}, o.rate(), k > 0);
    Optimizer restored("test", o);
    restored.load(optimizer.state(), params);
    optimizer = restored;
    w = w - o.rate() * (gradient(t) + o.decay() * w);
    mean = k <= 1 ? w : mean + (w - mean) / std::max(1, k - 1);
    CHECK(gap(params[0].second, w) < 1e-15);
    CHECK(gap(optimizer.averages().at("w"), mean) < 1e-15);
  }
}

TEST_CASE("optimizer: a stale graph is detected after an update", "[trainers]") {
  Optimizer optimizer("test", options_of(OptimizerType::kAdam, 0.1));
  const NamedTensors params = {{"w", start().requires_grad_()}};
  const at::Tensor loss = params[0].second.square().sum();
  optimizer.step(params, {gradient(1)}, 0.1);
  CHECK_THROWS(loss.backward());
}

TEST_CASE("optimizer: parameters stepped separately have separate counts", "[trainers]") {
  const auto o = options_of(OptimizerType::kAdam, 0.01);
  Optimizer both("test", o);
  Optimizer alone("test", o);
  const NamedTensors ab = {{"a", start()}, {"b", start()}};
  const NamedTensors b = {{"b", start()}};
  both.step({ab[0]}, {gradient(1)}, o.rate());
  both.step({ab[0]}, {gradient(2)}, o.rate());
  both.step(ab, {gradient(3), gradient(3)}, o.rate());
  alone.step(b, {gradient(3)}, o.rate());
  CHECK(at::equal(ab[1].second, b[0].second));
}

TEST_CASE("optimizer: moments are restored by name, and mismatches are named", "[trainers]") {
  const auto o = options_of(OptimizerType::kAdam, 0.01);
  Optimizer first("test", o);
  const NamedTensors params = {{"a.w", start()}};
  first.step(params, {gradient(1)}, o.rate());
  const NamedTensors copy = {{"a.w", params[0].second.clone()}};
  Optimizer second("test", o);
  second.load(first.state(), copy);
  first.step(params, {gradient(2)}, o.rate());
  second.step(copy, {gradient(2)}, o.rate());
  CHECK(at::equal(params[0].second, copy[0].second));

  const NamedTensors wide = {{"a.w", at::zeros({6}, at::kDouble)}};
  CHECK_THROWS_AS(second.load(first.state(), wide), DataError);
  try {
    second.load(first.state(), wide);
    FAIL("was not detected");
  } catch (const DataError& error) {
    CHECK(std::string(error.what()).find("a.w.exp_avg") != std::string::npos);
  }
}

TEST_CASE("optimizer: defaults are those of PyTorch's classes", "[trainers]") {
  const OptimizerOptions plain;
  CHECK(plain.betas == std::vector<double>{0.9, 0.999});
  CHECK(plain.eps == 1e-8);
  CHECK(plain.momentum == 0);
  CHECK(plain.alpha == 0.99);
  CHECK(plain.lambda == 1e-4);
  CHECK(plain.power == 0.75);
  CHECK(std::get<double>(plain.t0) == 1e6);
  CHECK(plain.clip_norm == 0);
  const auto of = [](OptimizerType type) {
    OptimizerOptions options;
    options.type = type;
    return std::pair(options.rate(), options.decay());
  };
  CHECK(of(OptimizerType::kAdam) == std::pair(1e-3, 0.0));
  CHECK(of(OptimizerType::kAdamW) == std::pair(1e-3, 1e-2));
  CHECK(of(OptimizerType::kSgd) == std::pair(1e-3, 0.0));
  CHECK(of(OptimizerType::kRmsprop) == std::pair(1e-2, 0.0));
  CHECK(of(OptimizerType::kAsgd) == std::pair(1e-2, 0.0));
}

TEST_CASE("optimizer: named ones override the default, key by key", "[trainers]") {
  const TrainOptions train = read_train_options(parse_yaml_or_throw(
      "{optimizers: {default: {lr: 0.1, betas: [0.1, 0.2]}, critic: {lr: 0.3}}}", "test"));
  CHECK(optim_options(train, "critic").lr == 0.3);
  CHECK(optim_options(train, "critic").betas == std::vector<double>{0.1, 0.2});
  CHECK(optim_options(train, "anything").lr == 0.1);
  CHECK_THROWS_AS(
      read_train_options(parse_yaml_or_throw("{optimizers: {critic: {lrr: 1}}}", "test")),
      ConfigError);
  CHECK_THROWS_WITH(read_train_options(parse_yaml_or_throw(
                        "{optimizers: {critic: {type: adam, form: torch}}}", "test")),
                    Catch::Matchers::Contains("form is supported by adamw"));
}

TEST_CASE("optimizer: parameters without decay step as with decay 0", "[trainers]") {
  const std::vector<std::pair<OptimizerType, std::optional<AdamwForm>>> rules = {
      {OptimizerType::kAdamW, {}},
      {OptimizerType::kAdamW, AdamwForm::kTransformers},
      {OptimizerType::kAdam, {}},
      {OptimizerType::kSgd, {}}};
  for (const auto& rule : rules) {
    const auto steps = [&](double decay, std::set<std::string> undecayed) {
      auto options = options_of(rule.first, 0.01, decay);
      options.form = rule.second;
      Optimizer optimizer("test", options, std::move(undecayed));
      const NamedTensors params = {{"a", start().requires_grad_()},
                                   {"b", start().requires_grad_()}};
      for (int t = 1; t <= 5; ++t) optimizer.step(params, {gradient(t), gradient(t)}, 0.01);
      return std::pair{params[0].second.detach(), params[1].second.detach()};
    };
    const auto [a, b] = steps(0.1, {"a"});
    CHECK(gap(a, steps(0, {}).first) == 0);
    CHECK(gap(b, steps(0.1, {}).second) == 0);
    CHECK(gap(a, b) > 1e-4);
  }
}
