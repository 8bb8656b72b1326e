#include "evaluators/senteval/relatedness.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "evaluators/senteval/folds.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/nn/init.h"
#include "framework/core/statistics/correlation.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {
namespace {

constexpr int64_t kHighest = 5;
constexpr int64_t kPasses = 50, kMaxPasses = 1000, kTenacity = 3;

}  // namespace

at::Tensor score_distributions(const std::vector<double>& scores, int64_t lowest) {
  at::Tensor result = at::zeros({std::ssize(scores), kHighest - lowest + 1}, at::kDouble);
  auto to = result.accessor<double, 2>();
  for (size_t i = 0; i < scores.size(); ++i) {
    const double below = std::floor(scores[i]);
    const int64_t index = static_cast<int64_t>(below) - lowest;
    const auto row = static_cast<int64_t>(i);
    if (index >= 0 && index < to.size(1)) to[row][index] = below - scores[i] + 1;
    if (index + 1 >= 0 && index + 1 < to.size(1)) to[row][index + 1] = scores[i] - below;
  }
  return result;
}

std::vector<double> predicted_scores(const at::Tensor& features, const std::vector<double>& scores,
                                     const RelatednessSplit& split, int64_t lowest,
                                     const ProbeTraining& training) {
  const at::NoGradGuard no_grad;
  const int64_t width = features.size(1), classes = kHighest - lowest + 1;
  const auto type = features.scalar_type();
  const at::Tensor inputs = at::cat({features, at::ones({features.size(0), 1}, type)}, 1);
  const at::Tensor target = score_distributions(scores, lowest).to(type);
  const at::Tensor train = split.train.nonzero().squeeze(1);
  const at::Tensor values = at::arange(lowest, kHighest + 1, type);
  at::Tensor weights = uniform_init(Init{static_cast<uint64_t>(training.seed), "relatedness"},
                                    {width + 1, classes}, 1 / std::sqrt(static_cast<double>(width)))
                           .to(type);
  at::Tensor mean = at::zeros_like(weights), square = at::zeros_like(weights);
  at::Tensor best = weights.clone();
  int64_t updates = 0;
  const auto seed = static_cast<uint64_t>(training.seed);
  const auto update = [&](const at::Tensor& rows) {
    const at::Tensor x = inputs.index_select(0, rows);
    const at::Tensor p = at::softmax(at::mm(x, weights), 1);
    const at::Tensor slope =
        (p - target.index_select(0, rows)) * (2.0 / static_cast<double>(p.numel()));
    const at::Tensor of_scores = p * (slope - (slope * p).sum(1, true));
    const at::Tensor gradient = at::mm(x.t(), of_scores);
    ++updates;
    mean.lerp_(gradient, 0.1);
    square.mul_(0.999).addcmul_(gradient, gradient, 0.001);
    const double of_mean = 1 - std::pow(0.9, updates);
    const double of_square = std::sqrt(1 - std::pow(0.999, updates));
    weights.addcdiv_(mean, square.sqrt().div_(of_square).add_(1e-8), -training.lr / of_mean);
  };
  const auto predicted = [&](const at::Tensor& rows, const at::Tensor& with) {
    const at::Tensor x = inputs.index_select(0, rows.nonzero().squeeze(1));
    return to_doubles(at::mv(at::softmax(at::mm(x, with), 1), values));
  };
  std::vector<double> expected;
  for (const double row : to_doubles(split.dev.nonzero().squeeze(1))) {
    expected.push_back(scores[static_cast<size_t>(row)]);
  }
  EarlyStop stop(kTenacity);
  for (int64_t passes = 0; passes <= kMaxPasses && !stop.is_over();) {
    for (int64_t k = 0; k < kPasses; ++k, ++passes) {
      const at::Tensor order =
          uniform_step({seed, static_cast<uint64_t>(passes), 0, noise_use("senteval.order")},
                       {train.numel()}, at::kDouble)
              .argsort();
      for (const at::Tensor& rows : order.split(training.batch)) {
        update(train.index_select(0, rows));
      }
    }
    if (stop.add(pearson(predicted(split.dev, weights), expected).value_or(0))) best.copy_(weights);
  }
  return predicted(split.test, best);
}

}  // namespace lvtext
