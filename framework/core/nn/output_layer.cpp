#include "framework/core/nn/output_layer.h"

#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/output_kernels.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Maximum number of logits in memory. On the CPU 16 MiB of floats: large enough for efficient
// matrix products, small enough to stay in the cache between the product, the softmax and the
// gradient products.
constexpr int64_t kCpuLogits = int64_t{1} << 22, kGpuLogits = int64_t{1} << 27;

struct Problem {
  at::Tensor hidden, weight, bias;
  at::Tensor targets;  ///< [N] int64, or distributions [N, V]
  bool mixed = false;  ///< precision of the products

  int64_t rows() const { return hidden.size(0); }
  int64_t chunk() const {
    const int64_t held = hidden.is_cpu() ? kCpuLogits : kGpuLogits;
    return std::clamp<int64_t>(held / weight.size(0), 16, std::max<int64_t>(16, rows()));
  }
};

struct Gradients {
  at::Tensor hidden;
  at::Tensor weight;  ///< [V, H] in column-major order
  at::Tensor bias;
};

/// Computes the NLL of every row; if `gradients` is given, also the gradients of sum_n scale[n]
/// nll[n].
at::Tensor process(const Problem& p, const at::Tensor& scale, Gradients* gradients) {
  const at::NoGradGuard no_grad;
  const MixedPrecisionScope scope(p.mixed);
  const int64_t vocabulary = p.weight.size(0), rows = p.rows(), chunk = p.chunk();
  const at::Tensor weight = parameter_operand(p.weight);
  at::Tensor nll = at::empty({rows}, p.weight.options()), of_weight;
  if (gradients != nullptr) {
    gradients->hidden = at::empty({rows, p.hidden.size(1)}, p.hidden.options());
    gradients->bias = at::zeros_like(p.bias);
    // MKL is up to 1.7 times as fast for a product with V columns as for its transpose.
    of_weight = at::empty({p.hidden.size(1), vocabulary}, p.weight.options());
    if (rows == 0) of_weight.zero_();
    gradients->weight = of_weight.t();
  }
  const at::Tensor buffer = at::empty({std::min(chunk, rows), vocabulary}, p.weight.options());
  for (int64_t from = 0; from < rows; from += chunk) {
    const int64_t count = std::min(chunk, rows - from);
    const at::Tensor hidden = operand(p.hidden.narrow(0, from, count));
    at::Tensor logits = buffer.narrow(0, 0, count);
    product_out(logits, hidden, weight.t());
    softmax_chunk(logits, p.bias, p.targets.narrow(0, from, count),
                  gradients != nullptr ? scale.narrow(0, from, count) : at::Tensor(),
                  nll.narrow(0, from, count));
    if (gradients == nullptr) {
      continue;
    }
    gradients->bias.add_(logits.sum(0));
    const at::Tensor of_logits = operand(logits);
    at::Tensor of_hidden = gradients->hidden.narrow(0, from, count);
    product_out(of_hidden, of_logits, weight);
    if (from == 0) {
      product_out(of_weight, hidden.t(), of_logits);
    } else {
      add_product(of_weight, hidden.t(), of_logits);
    }
  }
  return nll;
}

void check(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias) {
  LVT_CHECK_SHAPE(weight, {-1, -1});
  LVT_CHECK_SHAPE(bias, {weight.size(0)});
  LVT_CHECK_SHAPE(hidden, {-1, weight.size(1)});
}

void check(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
           const at::Tensor& targets) {
  check(hidden, weight, bias);
  LVT_CHECK_SHAPE(targets, {hidden.size(0)});
  LVT_ASSERT(targets.scalar_type() == at::kLong, "targets must be int64");
  // On other devices this check would synchronize; gather reports the error there.
  if (targets.is_cpu() && targets.numel() > 0) {
    LVT_ASSERT(targets.min().item<int64_t>() >= 0 && targets.max().item<int64_t>() < weight.size(0),
               "targets must be in 0..V-1");
  }
}

void refuse_second_derivative() {
  LVT_ASSERT(!at::GradMode::is_enabled(),
             "the output layer's cross entropy does not support second derivatives (create_graph)");
}

/// Gradients computed in the forward pass, to be returned by the backward pass.
struct ReadyGradients : torch::CustomClassHolder {
  std::vector<at::Tensor> values;  ///< for hidden, weight and bias; empty after use
};

class SumFunction : public torch::autograd::Function<SumFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& hidden,
                            const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& targets, const at::Tensor& scale) {
    const bool mixed = MixedPrecisionScope::active();
    Gradients gradients;
    const at::Tensor nll = process({hidden, weight, bias, targets, mixed}, scale, &gradients);
    auto ready = c10::make_intrusive<ReadyGradients>();
    ready->values = {gradients.hidden, gradients.weight, gradients.bias};
    ctx->save_for_backward({hidden, weight, bias, targets, scale});
    ctx->saved_data["ready"] = c10::IValue::make_capsule(ready);
    ctx->saved_data["mixed"] = mixed;
    return (nll * scale).sum();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    refuse_second_derivative();
    const auto ready =
        c10::static_intrusive_pointer_cast<ReadyGradients>(ctx->saved_data["ready"].toCapsule());
    // Scaled in place and released, because they are as large as the parameters.
    std::vector<at::Tensor> values = std::exchange(ready->values, {});
    if (values.empty()) {  // second backward pass through the same graph
      const auto saved = ctx->get_saved_variables();
      Gradients again;
      process({saved[0], saved[1], saved[2], saved[3], ctx->saved_data["mixed"].toBool()}, saved[4],
              &again);
      values = {again.hidden, again.weight, again.bias};
    }
    variable_list result(5);
    for (size_t i = 0; i < values.size(); ++i) {
      if (ctx->needs_input_grad(i)) {
        result[i] = values[i].mul_(grads[0]);
      }
    }
    return result;
  }
};

class RowsFunction : public torch::autograd::Function<RowsFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& hidden,
                            const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& targets) {
    const bool mixed = MixedPrecisionScope::active();
    ctx->save_for_backward({hidden, weight, bias, targets});
    ctx->saved_data["mixed"] = mixed;
    return process({hidden, weight, bias, targets, mixed}, {}, nullptr);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    refuse_second_derivative();
    const auto saved = ctx->get_saved_variables();
    Gradients gradients;
    process({saved[0], saved[1], saved[2], saved[3], ctx->saved_data["mixed"].toBool()},
            grads[0].contiguous(), &gradients);
    return {gradients.hidden, gradients.weight, gradients.bias, at::Tensor()};
  }
};

bool wants_gradient(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias) {
  return at::GradMode::is_enabled() &&
         (hidden.requires_grad() || weight.requires_grad() || bias.requires_grad());
}

}  // namespace

at::Tensor cross_entropy_rows(const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& bias, const at::Tensor& targets) {
  check(hidden, weight, bias, targets);
  return RowsFunction::apply(hidden.contiguous(), weight, bias, targets.contiguous());
}

at::Tensor cross_entropy_sum(const at::Tensor& hidden, const at::Tensor& weight,
                             const at::Tensor& bias, const at::Tensor& targets,
                             const at::Tensor& row_weights) {
  check(hidden, weight, bias, targets);
  if (row_weights.defined()) LVT_CHECK_SHAPE(row_weights, {hidden.size(0)});
  if (!wants_gradient(hidden, weight, bias)) {
    const at::Tensor nll = cross_entropy_rows(hidden, weight, bias, targets);
    return row_weights.defined() ? (nll * row_weights).sum() : nll.sum();
  }
  const at::Tensor scale =
      row_weights.defined()
          ? row_weights.detach().to(weight.device(), weight.scalar_type()).contiguous()
          : at::ones({hidden.size(0)}, weight.options().requires_grad(false));
  return SumFunction::apply(hidden.contiguous(), weight, bias, targets.contiguous(), scale);
}

at::Tensor distribution_cross_entropy_sum(const at::Tensor& hidden, const at::Tensor& weight,
                                          const at::Tensor& bias, const at::Tensor& probabilities) {
  check(hidden, weight, bias);
  LVT_CHECK_SHAPE(probabilities, {hidden.size(0), weight.size(0)});
  LVT_ASSERT(probabilities.scalar_type() == hidden.scalar_type(),
             "target distributions must have the type of the hidden states");
  const at::Tensor targets = probabilities.detach().contiguous();
  if (!wants_gradient(hidden, weight, bias)) {
    return RowsFunction::apply(hidden.contiguous(), weight, bias, targets).sum();
  }
  const at::Tensor scale = at::ones({hidden.size(0)}, weight.options().requires_grad(false));
  return SumFunction::apply(hidden.contiguous(), weight, bias, targets, scale);
}

OutputLayer::OutputLayer(const Init& init, int64_t hidden, int64_t vocabulary, double bound)
    : weight_(ModuleScope(*this, init).uniform("weight", {vocabulary, hidden}, bound)),
      bias_(register_parameter("bias", at::zeros({vocabulary}))) {}

at::Tensor OutputLayer::logits(const at::Tensor& hidden) const {
  LVT_CHECK_SHAPE(hidden, {-1, weight_.size(1)});
  return affine(hidden, weight_, bias_);
}

at::Tensor OutputLayer::nll_rows(const at::Tensor& hidden, const at::Tensor& targets) const {
  return cross_entropy_rows(hidden, weight_, bias_, targets);
}

at::Tensor OutputLayer::nll_sum(const at::Tensor& hidden, const at::Tensor& targets,
                                const at::Tensor& row_weights) const {
  return cross_entropy_sum(hidden, weight_, bias_, targets, row_weights);
}

}  // namespace lvtext
