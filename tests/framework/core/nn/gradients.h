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
