// The mixture of softmaxes and the LSTM of vec2sent, timed apart and as a training step; exact
// transport.
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "evaluators/metrics/transport.h"
#include "framework/core/base/error.h"
#include "framework/core/nn/lstm.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/output_layer.h"
#include "tests/benchmarks/setup.h"

namespace lvtext::benchmarks {
namespace {

using Answer = nlohmann::ordered_json;

/// The decoder of vec2sent without dropout: LSTM layers whose first one has a bias per
/// sentence, and K softmaxes over a constant table.
class Decoder {
 public:
  explicit Decoder(const TensorMap& data) : data_(data) {
    for (int64_t i = 0; data.contains("weight_ih_" + std::to_string(i)); ++i) {
      const auto own = [&](const std::string& name) {
        return trained(data.at(name + "_" + std::to_string(i)));
      };
      layers_.push_back(std::make_unique<Lstm>(
          RecurrentWeights{own("weight_ih"), own("weight_hh"), own("bias_ih"), own("bias_hh")}));
    }
    context_weight_ = trained(data.at("context_weight"));
    latent_weight_ = trained(data.at("latent_weight"));
    latent_bias_ = trained(data.at("latent_bias"));
    prior_weight_ = trained(data.at("prior_weight"));
    bias_ = trained(data.at("bias"));
  }

  at::Tensor states() const {
    at::Tensor x = data_.at("vectors");
    for (size_t i = 0; i < layers_.size(); ++i) {
      RecurrentExtras extras;
      if (i == 0) extras.sentence_bias = at::mm(data_.at("context"), context_weight_.t());
      x = layers_[i]->forward(x, {}, {}, extras).outputs;
    }
    return x.flatten(0, 1);
  }
  at::Tensor loss(const at::Tensor& states) const {
    const at::Tensor& table = data_.at("table");
    const at::Tensor latents = at::tanh(at::linear(states, latent_weight_, latent_bias_));
    const at::Tensor prior = at::log_softmax(at::linear(states, prior_weight_), 1);
    return mixture_loss_sum(
        {.latents = latents.view({states.size(0), prior.size(1), table.size(1)}),
         .log_prior = prior,
         .weight = table,
         .bias = bias_},
        data_.at("targets"));
  }
  Answer gradients() const {
    double sum = 0;
    for (const at::Tensor& each : parameters_) {
      if (each.grad().defined()) sum += each.grad().square().sum().item<double>();
    }
    for (const at::Tensor& each : parameters_) each.mutable_grad() = at::Tensor();
    return std::sqrt(sum);
  }

 private:
  at::Tensor trained(const at::Tensor& value) {
    parameters_.push_back(value.detach().clone().requires_grad_());
    return parameters_.back();
  }

  const TensorMap& data_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::unique_ptr<Lstm>> layers_;
  at::Tensor context_weight_, latent_weight_, latent_bias_, prior_weight_, bias_;
};

Answer step(const Decoder& decoder, const TensorMap& data, const std::string& what) {
  at::Tensor loss;
  if (what == "lstm") {
    loss = decoder.states().sum();
  } else if (what == "mixture") {
    loss = decoder.loss(data.at("states"));
  } else {
    loss = decoder.loss(decoder.states());
  }
  loss.backward();
  return {{"value", loss.item<double>()}, {"gradient", decoder.gradients()}};
}

/// All problems of a file: m, n, costs and masses one after the other.
Answer transport(const TensorMap& data) {
  const at::Tensor sizes = data.at("sizes"), numbers = data.at("numbers");
  const auto* size = sizes.const_data_ptr<int64_t>();
  const auto* next = numbers.const_data_ptr<double>();
  Transport solver;
  double total = 0;
  for (int64_t i = 0; i < sizes.size(0); ++i) {
    const auto m = static_cast<size_t>(size[2 * i]), n = static_cast<size_t>(size[2 * i + 1]);
    total += solver.cost({next, m * n}, {next + m * n, m}, {next + m * n + m, n});
    next += m * n + m + n;
  }
  return {{"value", total}};
}

}  // namespace

void serve_mixture() {
  std::string file, what, line;
  TensorMap data;
  std::unique_ptr<Decoder> decoder;
  while (std::getline(std::cin, line)) {
    std::string next;
    int64_t count = 1;
    std::istringstream(line) >> next >> what >> count;
    if (next != file) {
      data = read_safetensors(file = next).tensors;
      decoder = data.contains("table") ? std::make_unique<Decoder>(data) : nullptr;
    }
    const auto run = [&] { return decoder ? step(*decoder, data, what) : transport(data); };
    run();
    const double before = memory("VmRSS");
    const Clock start = now();
    Answer answer;
    for (int64_t i = 0; i < count; ++i) answer = run();
    const Clock end = now();
    answer["seconds"] = (end.wall - start.wall) / static_cast<double>(count);
    answer["cpu"] = (end.cpu - start.cpu) / static_cast<double>(count);
    answer["resident"] = before;
    answer["peak"] = memory("VmHWM");
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace lvtext::benchmarks
