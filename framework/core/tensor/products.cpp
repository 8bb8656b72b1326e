#include "framework/core/tensor/products.h"

#include <map>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/tensor/bf16_product.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/tensor/wait_policy.h"

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

thread_local bool scope_active = false;
thread_local int scope_depth = 0;

/// A rounded parameter. Keeps the parameter alive so that its address, the key, is not reused.
struct Rounded {
  at::Tensor parameter, values;
};
thread_local std::map<const at::TensorImpl*, Rounded> rounded_parameters;

bool is_rounded(const at::Tensor& x) {
  return MixedPrecisionScope::active() && x.scalar_type() == at::kFloat;
}

at::Tensor rounded(const at::Tensor& x) {
  const at::NoGradGuard no_grad;
  const at::Tensor values = x.detach().to(at::kBFloat16);
  return x.is_cpu() && !cpu_bf16_support().is_fast() ? values.to(at::kFloat) : values;
}

void check_no_second_derivative() {
  LVT_ASSERT(!at::GradMode::is_enabled(),
             "products in mixed precision have no second derivative (create_graph); use "
             "MixedPrecisionScope(false) where one is needed");
}

/// x weight^T with rounded operands; x [N, K], weight [M, K].
class RoundedLinear : public torch::autograd::Function<RoundedLinear> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight) {
    const at::Tensor x_operand = operand(x), weight_operand = parameter_operand(weight);
    ctx->save_for_backward({x_operand, weight_operand});
    return product(x_operand, weight_operand.t());
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    check_no_second_derivative();
    const auto saved = ctx->get_saved_variables();
    const MixedPrecisionScope scope(true);
    const at::Tensor grad = operand(grads[0]);
    variable_list result(2);
    if (ctx->needs_input_grad(0)) result[0] = product(grad, saved[1]);
    if (ctx->needs_input_grad(1)) result[1] = product(grad.t(), saved[0]);
    return result;
  }
};

/// A result of bfloat16 or, without fast products of bfloat16, float32 operands, rounded to
/// bfloat16.
at::Tensor rounded_result(const at::Tensor& x) {
  return x.to(at::kBFloat16).to(at::kFloat);
}

/// Convolution with rounded operands and results.
class RoundedConvolution : public torch::autograd::Function<RoundedConvolution> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight,
                            int64_t stride, int64_t padding) {
    const at::Tensor x_operand = operand(x), weight_operand = parameter_operand(weight);
    ctx->save_for_backward({x_operand, weight_operand});
    ctx->saved_data["stride"] = stride;
    ctx->saved_data["padding"] = padding;
    return rounded_result(at::conv2d(x_operand, weight_operand, {}, stride, padding));
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    check_no_second_derivative();
    const auto saved = ctx->get_saved_variables();
    const int64_t stride = ctx->saved_data["stride"].toInt();
    const int64_t padding = ctx->saved_data["padding"].toInt();
    const MixedPrecisionScope scope(true);
    const auto [x, weight, bias] = at::convolution_backward(
        operand(grads[0]), saved[0], saved[1], {}, {stride, stride}, {padding, padding}, {1, 1},
        /*transposed=*/false, {0, 0}, /*groups=*/1,
        {ctx->needs_input_grad(0), ctx->needs_input_grad(1), false});
    return {x.defined() ? rounded_result(x) : x, weight.defined() ? rounded_result(weight) : weight,
            at::Tensor{}, at::Tensor{}};
  }
};

}  // namespace

MixedPrecisionScope::MixedPrecisionScope(bool enabled)
    : was_active_(std::exchange(scope_active, enabled)) {
  ++scope_depth;
}

MixedPrecisionScope::~MixedPrecisionScope() {
  scope_active = was_active_;
  if (--scope_depth == 0) rounded_parameters.clear();
}

bool MixedPrecisionScope::active() {
  return scope_active;
}

at::Tensor operand(const at::Tensor& x) {
  return is_rounded(x) ? rounded(x) : x;
}

at::Tensor parameter_operand(const at::Tensor& parameter) {
  if (!is_rounded(parameter)) return parameter;
  Rounded& kept = rounded_parameters[parameter.unsafeGetTensorImpl()];
  if (!kept.parameter.defined()) kept = {parameter, rounded(parameter)};
  return kept.values;
}

void product_out(at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  adapt_wait_policy();
  const at::NoGradGuard no_grad;
  if (a.scalar_type() != at::kBFloat16) {
    at::mm_out(out, a, b);
  } else if (a.is_cpu()) {
    bf16_product(out, a, b, /*adds=*/false);
  } else {
    at::mm_outf(a, b, at::kFloat, out);
  }
}

void add_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  adapt_wait_policy();
  const at::NoGradGuard no_grad;
  if (a.scalar_type() != at::kBFloat16) {
    out.addmm_(a, b);
  } else if (a.is_cpu()) {
    bf16_product(out, a, b, /*adds=*/true);
  } else {
    out.add_(at::mm(a, b, at::kFloat));
  }
}

at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  const auto type = a.scalar_type() == at::kBFloat16 ? at::kFloat : a.scalar_type();
  at::Tensor out = at::empty({a.size(0), b.size(1)}, a.options().dtype(type));
  product_out(out, a, b);
  return out;
}

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  adapt_wait_policy();
  if (!is_rounded(x)) return at::linear(x, weight, bias);
  const at::Tensor sums = RoundedLinear::apply(x.reshape({-1, x.size(-1)}), weight);
  auto shape = x.sizes().vec();
  shape.back() = weight.size(0);
  return bias.defined() ? sums.reshape(shape) + bias : sums.reshape(shape);
}

at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                       int64_t stride, int64_t padding) {
  adapt_wait_policy();
  if (!is_rounded(x)) return at::conv2d(x, weight, bias, stride, padding);
  const at::Tensor sums = RoundedConvolution::apply(x, weight, stride, padding);
  return bias.defined() ? sums + bias.view({1, -1, 1, 1}) : sums;
}

}  // namespace lvtext
