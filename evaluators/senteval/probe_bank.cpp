#include "evaluators/senteval/probe_bank.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>

#include "evaluators/senteval/folds.h"
#include "framework/core/base/error.h"
#include "framework/core/nn/init.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

constexpr int64_t kChunk = 1024;       // rows of an evaluation's products
constexpr double kCompactBelow = 0.8;  // share of running probes below which the bank is compacted

/// Masks of the probes, [N, K] in the dtype of the features.
at::Tensor columns(const std::vector<Probe>& probes, at::Tensor Probe::*mask,
                   at::ScalarType dtype) {
  std::vector<at::Tensor> all;
  for (const Probe& probe : probes) all.push_back((probe.*mask).to(dtype));
  return at::stack(all, 1);
}

class Bank {
 public:
  Bank(const at::Tensor& features, const at::Tensor& classes, int64_t class_count,
       const std::vector<Probe>& probes, const ProbeTraining& training)
      : training_(training), classes_(classes), count_(class_count) {
    const int64_t rows = features.size(0), width = features.size(1);
    const auto probe_count = std::ssize(probes);
    // The bias is the weight of a feature that is 1.
    features_ = at::cat({features, at::ones({rows, 1}, features.options())}, 1);
    one_hot_ = at::one_hot(classes, class_count).to(features.scalar_type());
    train_ = columns(probes, &Probe::train, features.scalar_type());
    dev_ = columns(probes, &Probe::dev, features.scalar_type());
    const at::Tensor is_used = train_.sum(1).gt(0);
    used_ = is_used.nonzero().squeeze(1);
    const double mean_rows = train_.sum().item<double>() / static_cast<double>(probe_count);
    batch_ = std::max<int64_t>(
        1, std::llround(static_cast<double>(training.batch * used_.numel()) / mean_rows));
    std::vector<double> l2;
    for (const Probe& probe : probes) l2.push_back(probe.l2);
    l2_ = at::tensor(l2, features.options()).view({1, probe_count, 1});
    // The initial weights of all probes are equal, as with SentEval's one seed.
    const at::Tensor initial =
        uniform_init(Init{static_cast<uint64_t>(training.seed), "senteval"},
                     {width + 1, class_count}, 1 / std::sqrt(static_cast<double>(width)));
    weights_ = initial.to(features.scalar_type())
                   .unsqueeze(1)
                   .expand({width + 1, probe_count, class_count})
                   .contiguous();
    mean_ = at::zeros_like(weights_);
    square_ = at::zeros_like(weights_);
    best_ = weights_.clone();
    for (int64_t k = 0; k < probe_count; ++k) running_.push_back({k, EarlyStop(training.tenacity)});
    fitted_.resize(probes.size());
  }

  std::vector<FittedProbe> train() {
    int64_t passes = 0;
    while (!running_.empty()) {
      for (int64_t k = 0; k < training_.epoch_size; ++k) pass(passes++);
      evaluate(passes);
    }
    return std::move(fitted_);
  }

 private:
  struct Running {
    int64_t probe;
    EarlyStop stop;
    bool is_done = false;
  };

  /// Scores of rows, [n, K, C].
  at::Tensor scores(const at::Tensor& rows) const {
    return at::mm(rows, weights_.flatten(1)).unflatten(1, {weights_.size(1), count_});
  }

  void pass(int64_t number) {
    const at::Tensor order =
        uniform_step({static_cast<uint64_t>(training_.seed), static_cast<uint64_t>(number), 0,
                      noise_use("senteval.order")},
                     {used_.numel()}, at::kDouble)
            .argsort();
    for (int64_t from = 0; from < order.numel(); from += batch_) {
      const int64_t size = std::min(batch_, order.numel() - from);
      update(used_.index_select(0, order.narrow(0, from, size)));
    }
  }

  void update(const at::Tensor& rows) {
    const at::Tensor inputs = features_.index_select(0, rows);
    const at::Tensor own = train_.index_select(0, rows);
    const at::Tensor share = own / own.sum(0, true).clamp_min(1);
    at::Tensor slope = at::softmax(scores(inputs), 2);
    slope.sub_(one_hot_.index_select(0, rows).unsqueeze(1)).mul_(share.unsqueeze(2));
    at::Tensor gradient = at::mm(inputs.t(), slope.flatten(1)).view_as(weights_);
    gradient.addcmul_(weights_, l2_);
    ++updates_;
    constexpr double kMean = 0.9, kSquare = 0.999, kEps = 1e-8;
    mean_.lerp_(gradient, 1 - kMean);
    square_.mul_(kSquare).addcmul_(gradient, gradient, 1 - kSquare);
    const double of_mean = 1 - std::pow(kMean, updates_);
    const double of_square = std::sqrt(1 - std::pow(kSquare, updates_));
    // The gradient's memory is reused for the divisor.
    at::sqrt_out(gradient, square_).div_(of_square).add_(kEps);
    weights_.addcdiv_(mean_, gradient, -training_.lr / of_mean);
  }

  /// Accuracy of each running probe on its dev rows.
  std::vector<double> accuracies() const {
    at::Tensor correct = at::zeros({weights_.size(1)}, features_.options());
    for (int64_t from = 0; from < features_.size(0); from += kChunk) {
      const int64_t size = std::min(kChunk, features_.size(0) - from);
      const at::Tensor predicted = scores(features_.narrow(0, from, size)).argmax(2);
      const at::Tensor is_right = predicted.eq(classes_.narrow(0, from, size).unsqueeze(1));
      correct += (is_right.to(dev_.scalar_type()) * dev_.narrow(0, from, size)).sum(0);
    }
    const at::Tensor shares = (correct / dev_.sum(0)).to(at::kDouble).contiguous();
    const auto* first = shares.const_data_ptr<double>();
    return {first, first + shares.numel()};
  }

  void evaluate(int64_t passes) {
    const std::vector<double> accuracy = accuracies();
    std::vector<int64_t> kept;
    for (size_t k = 0; k < running_.size(); ++k) {
      Running& each = running_[k];
      if (each.is_done) continue;
      const auto column = static_cast<int64_t>(k);
      if (each.stop.add(accuracy[k])) {
        best_.select(1, column).copy_(weights_.select(1, column));
      }
      if (!each.stop.is_over() && passes <= training_.max_passes) {
        kept.push_back(column);
        continue;
      }
      each.is_done = true;
      const at::Tensor best = best_.select(1, column);  // [D + 1, C]
      const int64_t width = best.size(0) - 1;
      fitted_[static_cast<size_t>(each.probe)] = {best.narrow(0, 0, width).t().contiguous(),
                                                  best.select(0, width).clone(), each.stop.best(),
                                                  passes};
    }
    const auto held = static_cast<double>(running_.size());
    if (static_cast<double>(kept.size()) >= kCompactBelow * held) return;
    const at::Tensor index = at::tensor(kept, at::kLong);
    for (at::Tensor* each : {&weights_, &mean_, &square_, &best_, &train_, &dev_, &l2_}) {
      *each = each->index_select(1, index);
    }
    std::vector<Running> running;
    for (const int64_t column : kept) running.push_back(running_[static_cast<size_t>(column)]);
    running_ = std::move(running);
  }

  ProbeTraining training_;
  at::Tensor features_, classes_, one_hot_, used_;
  int64_t count_, batch_ = 1;
  int64_t updates_ = 0;
  at::Tensor train_, dev_, l2_;                ///< [N, K], [N, K], [1, K, 1] of the running probes
  at::Tensor weights_, mean_, square_, best_;  ///< [D + 1, K, C]
  std::vector<Running> running_;               ///< [K]
  std::vector<FittedProbe> fitted_;
};

}  // namespace

std::vector<FittedProbe> train_probes(const at::Tensor& features, const at::Tensor& classes,
                                      int64_t class_count, const std::vector<Probe>& probes,
                                      const ProbeTraining& training) {
  LVT_CHECK_SHAPE(features, {-1, -1});
  LVT_CHECK_SHAPE(classes, {features.size(0)});
  if (probes.empty()) return {};
  const at::NoGradGuard no_grad;
  return Bank(features, classes, class_count, probes, training).train();
}

at::Tensor predicted_classes(const FittedProbe& probe, const at::Tensor& features) {
  return at::addmm(probe.bias, features, probe.weight.t()).argmax(1);
}

}  // namespace lvtext
