// Finite differences for tests of layers with their own backward pass.
#pragma once

#include <functional>

#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

/// A scalar in which each element of each output has a different weight.
inline at::Tensor weighted_sum(const std::vector<at::Tensor>& outputs) {
  at::Tensor total;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto weights =
        lvtext::normal_step({.seed = 77, .step = i}, outputs[i].sizes(), outputs[i].scalar_type());
    const auto term = (outputs[i] * weights).sum();
    total = total.defined() ? total + term : term;
  }
  return total;
}

/// Compares autograd's gradients of a scalar function of float64 tensors with central differences.
inline void check_gradients(std::vector<at::Tensor> inputs,
                            const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f) {
  for (auto& input : inputs) {
    input = input.detach().clone().contiguous().requires_grad_();
  }
  const auto gradients = torch::autograd::grad({f(inputs)}, inputs);
  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (size_t i = 0; i < inputs.size(); ++i) {
    at::Tensor flat = inputs[i].view(-1);
    at::Tensor numeric = at::empty_like(flat);
    for (int64_t k = 0; k < flat.size(0); ++k) {
      const double value = flat[k].item<double>();
      flat[k] = value + kStep;
      const double above = f(inputs).item<double>();
      flat[k] = value - kStep;
      const double below = f(inputs).item<double>();
      flat[k] = value;
      numeric[k] = (above - below) / (2 * kStep);
    }
    INFO("input " << i);
    CHECK(gradients[i].reshape(-1).allclose(numeric, 1e-6, 1e-7));
  }
}

/// Compares autograd's gradients of a scalar with central differences, at the first, middle and
/// last number of each of the module's float64 parameters.
inline void check_parameter_gradients(torch::nn::Module& module,
                                      const std::function<at::Tensor()>& f) {
  module.zero_grad();
  f().backward();
  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (const auto& each : module.named_parameters()) {
    INFO(each.key());
    REQUIRE(each.value().grad().defined());
    at::Tensor flat = each.value().data().view({-1});
    const at::Tensor gradient = each.value().grad().reshape({-1});
    for (const int64_t i : {int64_t{0}, flat.numel() / 2, flat.numel() - 1}) {
      const double value = flat[i].item<double>();
      flat[i] = value + kStep;
      const double above = f().item<double>();
      flat[i] = value - kStep;
      const double below = f().item<double>();
      flat[i] = value;
      CHECK(gradient[i].item<double>() ==
            Approx((above - below) / (2 * kStep)).epsilon(1e-5).margin(1e-7));
    }
  }
}
