// A step context without a trainer: a fixed value for every schedule, noise keyed by use.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <optional>
#include <string>

#include "framework/core/model/step_context.h"
#include "framework/core/model/trainable.h"
#include "tests/model_inputs.h"

namespace lvtext {

class FakeContext : public StepContext {
 public:
  explicit FakeContext(bool training, uint64_t step = 0) : training_(training), step_(step) {}
  bool training() const override { return training_; }
  NoiseKey noise(std::string_view use) const override {
    return {.seed = 3, .step = step_, .stream = 0, .use = noise_use(use)};
  }
  at::Tensor value(const Schedule&) const override {
    return at::scalar_tensor(scheduled.value(), at::TensorOptions(at::kFloat));
  }
  at::Tensor shared(const std::string&, const std::vector<std::string>&,
                    const std::function<at::Tensor()>& compute) override {
    return compute();
  }
  void store(const std::string& name, const at::Tensor& value) override { kept_[name] = value; }
  at::Tensor load(const std::string& name) const override { return kept_.at(name); }
  at::Tensor term_mean(const std::string&) const override { return {}; }
  at::Tensor gradient_hook(const at::Tensor& z,
                           const std::function<at::Tensor(const at::Tensor&)>&) override {
    return z;
  }
  void log(const std::string&, const at::Tensor&) override {}
  BatchNormMode batch_norm() const override { return BatchNormMode::kRunning; }

  std::optional<double> scheduled;  ///< what every schedule gives

 private:
  bool training_;
  uint64_t step_;
  std::map<std::string, at::Tensor> kept_;
};

/// A batch of one text field whose example ids are 0, 1, 2, ...
inline Batch text_batch(const std::vector<std::vector<int32_t>>& sentences) {
  const Tokens tokens = pad_sentences(sentences);
  return {at::arange(tokens.rows(), at::kLong),
          {{"text", tokens.ids}, {"text.lengths", tokens.lengths}}};
}

/// Eight sentences over tokens 4..19, one of them empty, one all unknown.
inline std::vector<std::vector<int32_t>> eight_sentences() {
  return {{4, 5, 6, 7}, {8, 9}, {},        {10, 11, 12, 13, 14},
          {3, 3, 3},    {15},   {4, 6, 4}, {16, 17, 18, 19, 5, 5}};
}

/// The sum of a phase's terms without weights, as a number.
inline double total_loss(Trainable& model, const Batch& batch, StepContext& context) {
  at::NoGradGuard no_grad;
  double total = 0;
  for (const at::Tensor& sum : model.losses(model.phases().at(0), {batch}, context)) {
    total += sum.item<double>();
  }
  return total;
}

}  // namespace lvtext
