#include "evaluators/senteval/probe_bank.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "evaluators/senteval/folds.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
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
      : training_(training), classes_(classes) {
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
    const auto add_layer = [&](const char* name, int64_t inputs, int64_t outputs) {
      const at::Tensor initial =
          uniform_init(Init{static_cast<uint64_t>(training.seed), name}, {inputs + 1, outputs},
                       1 / std::sqrt(static_cast<double>(inputs)));
      Layer layer{initial.to(features.scalar_type())
                      .unsqueeze(1)
                      .expand({inputs + 1, probe_count, outputs})
                      .contiguous()};
      layer.mean = at::zeros_like(layer.weights);
      layer.square = at::zeros_like(layer.weights);
      layer.best = layer.weights.clone();
      layers_.push_back(std::move(layer));
    };
    if (training.hidden > 0) add_layer("senteval.hidden", width, training.hidden);
    add_layer("senteval", training.hidden > 0 ? training.hidden : width, class_count);
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

  /// Weights of all running probes, [D + 1, K, outputs]; the last row is the bias.
  struct Layer {
    at::Tensor weights, mean = {}, square = {}, best = {};
  };

  /// rows [n, D + 1] times the weights of a layer: [n, K, outputs].
  static at::Tensor product(const at::Tensor& rows, const Layer& layer) {
    return at::mm(rows, layer.weights.flatten(1))
        .unflatten(1, {layer.weights.size(1), layer.weights.size(2)});
  }

  /// Units of the hidden layer with a 1, [K, n, H + 1].
  static at::Tensor hidden_units(const at::Tensor& rows, const Layer& layer) {
    const at::Tensor units = at::sigmoid(product(rows, layer)).transpose(0, 1);
    return at::cat({units, at::ones({units.size(0), units.size(1), 1}, units.options())}, 2);
  }

  /// Scores of rows, [n, K, C].
  at::Tensor scores(const at::Tensor& rows) const {
    if (layers_.size() == 1) return product(rows, layers_[0]);
    return at::bmm(hidden_units(rows, layers_[0]), layers_[1].weights.transpose(0, 1))
        .transpose(0, 1);
  }

  /// Gradients of the sum of slope [n, K, C] and scores, one for each layer.
  std::vector<at::Tensor> gradients(const at::Tensor& rows, const at::Tensor& slope) const {
    const auto of_product = [&](const at::Tensor& of_outputs) {
      return at::mm(rows.t(), of_outputs.flatten(1)).view_as(layers_[0].weights);
    };
    if (layers_.size() == 1) return {of_product(slope)};
    const at::Tensor units = hidden_units(rows, layers_[0]), slopes = slope.transpose(0, 1);
    const at::Tensor of_units = at::bmm(slopes, layers_[1].weights.permute({1, 2, 0}));
    const at::Tensor of_inputs = (of_units * units * (1 - units)).narrow(2, 0, units.size(2) - 1);
    return {of_product(of_inputs.transpose(0, 1).contiguous()),
            at::bmm(units.transpose(1, 2), slopes).transpose(0, 1).contiguous()};
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
    std::vector<at::Tensor> all = gradients(inputs, slope);
    ++updates_;
    for (size_t i = 0; i < layers_.size(); ++i) step(layers_[i], all[i]);
  }

  /// An update by Adam; changes the gradient.
  void step(Layer& layer, at::Tensor& gradient) const {
    gradient.addcmul_(layer.weights, l2_);
    constexpr double kMean = 0.9, kSquare = 0.999, kEps = 1e-8;
    layer.mean.lerp_(gradient, 1 - kMean);
    layer.square.mul_(kSquare).addcmul_(gradient, gradient, 1 - kSquare);
    const double of_mean = 1 - std::pow(kMean, updates_);
    const double of_square = std::sqrt(1 - std::pow(kSquare, updates_));
    // The gradient's memory is reused for the divisor.
    at::sqrt_out(gradient, layer.square).div_(of_square).add_(kEps);
    layer.weights.addcdiv_(layer.mean, gradient, -training_.lr / of_mean);
  }

  /// Accuracy of each running probe on its dev rows.
  std::vector<double> accuracies() const {
    at::Tensor correct = at::zeros({std::ssize(running_)}, features_.options());
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

  /// The best weight [outputs, inputs] and bias [outputs] of a probe.
  static std::pair<at::Tensor, at::Tensor> best_of(const Layer& layer, int64_t column) {
    const at::Tensor best = layer.best.select(1, column);
    const int64_t inputs = best.size(0) - 1;
    return {best.narrow(0, 0, inputs).t().contiguous(), best.select(0, inputs).clone()};
  }

  void evaluate(int64_t passes) {
    const std::vector<double> accuracy = accuracies();
    std::vector<int64_t> kept;
    for (size_t k = 0; k < running_.size(); ++k) {
      Running& each = running_[k];
      if (each.is_done) continue;
      const auto column = static_cast<int64_t>(k);
      if (each.stop.add(accuracy[k])) {
        for (Layer& layer : layers_) {
          layer.best.select(1, column).copy_(layer.weights.select(1, column));
        }
      }
      if (!each.stop.is_over() && passes <= training_.max_passes) {
        kept.push_back(column);
        continue;
      }
      each.is_done = true;
      FittedProbe& fitted = fitted_[static_cast<size_t>(each.probe)];
      std::tie(fitted.weight, fitted.bias) = best_of(layers_.back(), column);
      if (layers_.size() > 1) {
        std::tie(fitted.hidden_weight, fitted.hidden_bias) = best_of(layers_.front(), column);
      }
      fitted.dev_accuracy = each.stop.best();
      fitted.passes = passes;
    }
    const auto held = static_cast<double>(running_.size());
    if (static_cast<double>(kept.size()) >= kCompactBelow * held) return;
    const at::Tensor index = at::tensor(kept, at::kLong);
    std::vector<at::Tensor*> held_tensors = {&train_, &dev_, &l2_};
    for (Layer& layer : layers_) {
      for (at::Tensor* each : {&layer.weights, &layer.mean, &layer.square, &layer.best}) {
        held_tensors.push_back(each);
      }
    }
    for (at::Tensor* each : held_tensors) *each = each->index_select(1, index);
    std::vector<Running> running;
    for (const int64_t column : kept) running.push_back(running_[static_cast<size_t>(column)]);
    running_ = std::move(running);
  }

  ProbeTraining training_;
  at::Tensor features_, classes_, one_hot_, used_;
  int64_t batch_ = 1;
  int64_t updates_ = 0;
  at::Tensor train_, dev_, l2_;   ///< [N, K], [N, K], [1, K, 1] of the running probes
  std::vector<Layer> layers_;     ///< the output layer is the last one
  std::vector<Running> running_;  ///< [K]
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

size_t best_decay(const std::vector<double>& accuracies) {
  std::vector<double> percent;
  for (const double share : accuracies) percent.push_back(std::round(share * 10000) / 100);
  return static_cast<size_t>(std::max_element(percent.begin(), percent.end()) - percent.begin());
}

FittedProbe selected_probe(const at::Tensor& features, const at::Tensor& classes,
                           int64_t class_count, const at::Tensor& train, const at::Tensor& dev,
                           const std::vector<double>& l2, const ProbeTraining& training) {
  std::vector<Probe> probes;
  for (const double each : l2) probes.push_back({each, train, dev});
  const std::vector<FittedProbe> fitted =
      train_probes(features, classes, class_count, probes, training);
  std::vector<double> accuracies;
  for (const FittedProbe& each : fitted) accuracies.push_back(each.dev_accuracy);
  return fitted[best_decay(accuracies)];
}

at::Tensor predicted_classes(const FittedProbe& probe, const at::Tensor& features) {
  const at::Tensor x =
      probe.hidden_weight.defined()
          ? at::sigmoid(at::addmm(probe.hidden_bias, features, probe.hidden_weight.t()))
          : features;
  return at::addmm(probe.bias, x, probe.weight.t()).argmax(1);
}

std::string ProbeTraining::optimizer_signature() const {
  return "|adam,lr:" + format_number(lr) + ",batch:" + std::to_string(batch) +
         ",seed:" + std::to_string(seed);
}

std::string ProbeTraining::signature() const {
  return optimizer_signature() + ",epoch_size:" + std::to_string(epoch_size) +
         ",tenacity:" + std::to_string(tenacity) + ",max_passes:" + std::to_string(max_passes);
}

}  // namespace lvtext
