#include "framework/core/tensor/products.h"

#include <ATen/cpu/Utils.h>
#include <cpuid.h>

#include <map>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/tensor/wait_policy.h"

// Function of MKL, which libtorch_cpu.so contains and exports, but provides no header for.
extern "C" void cblas_gemm_bf16bf16f32(int layout, int trans_a, int trans_b, int m, int n, int k,
                                       float alpha, const uint16_t* a, int lda, const uint16_t* b,
                                       int ldb, float beta, float* c, int ldc);

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;

thread_local bool scope_active = false;
thread_local int scope_depth = 0;

/// A rounded parameter. Keeps the parameter alive so that its address, the key, is not reused.
struct Rounded {
  at::Tensor parameter, values;
};
thread_local std::map<const at::TensorImpl*, Rounded> rounded_parameters;

bool cpuid_lists_amx() {
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kBf16) != 0 && (d & kTile) != 0;
}

bool is_rounded(const at::Tensor& x) {
  return MixedPrecisionScope::active() && x.scalar_type() == at::kFloat;
}

at::Tensor rounded(const at::Tensor& x) {
  const at::NoGradGuard no_grad;
  const at::Tensor values = x.detach().to(at::kBFloat16);
  return x.is_cpu() && !cpu_has_amx() ? values.to(at::kFloat) : values;
}

/// A matrix in a layout supported by BLAS: row-major, or the transpose of a row-major matrix.
struct BlasMatrix {
  at::Tensor values;
  int transpose;
  int stride;

  explicit BlasMatrix(const at::Tensor& x) : values(x) {
    const bool by_rows = x.stride(1) == 1 && x.stride(0) >= x.size(1);
    const bool by_columns = x.stride(0) == 1 && x.stride(1) >= x.size(0);
    if (!by_rows && !by_columns) values = x.contiguous();
    transpose = by_rows || !by_columns ? kNoTranspose : kTranspose;
    stride = static_cast<int>(values.stride(transpose == kNoTranspose ? 0 : 1));
  }
  const uint16_t* data() const {
    return reinterpret_cast<const uint16_t*>(values.const_data_ptr<at::BFloat16>());
  }
};

/// x weight^T with rounded operands; x [N, K], weight [M, K].
class RoundedLinear : public torch::autograd::Function<RoundedLinear> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight) {
    const at::Tensor x_operand = operand(x), weight_operand = parameter_operand(weight);
    ctx->save_for_backward({x_operand, weight_operand});
    return product(x_operand, weight_operand.t());
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    LVT_ASSERT(!at::GradMode::is_enabled(),
               "products in mixed precision have no second derivative (create_graph); use "
               "MixedPrecisionScope(false) where one is needed");
    const auto saved = ctx->get_saved_variables();
    const MixedPrecisionScope scope(true);
    const at::Tensor grad = operand(grads[0]);
    variable_list result(2);
    if (ctx->needs_input_grad(0)) result[0] = product(grad, saved[1]);
    if (ctx->needs_input_grad(1)) result[1] = product(grad.t(), saved[0]);
    return result;
  }
};

}  // namespace

MixedPrecisionScope::MixedPrecisionScope(bool wanted)
    : was_active_(std::exchange(scope_active, wanted)) {
  ++scope_depth;
}

MixedPrecisionScope::~MixedPrecisionScope() {
  scope_active = was_active_;
  if (--scope_depth == 0) rounded_parameters.clear();
}

bool MixedPrecisionScope::active() {
  return scope_active;
}

bool cpu_has_amx() {
  static const bool has = cpuid_lists_amx() && at::cpu::init_amx();
  return has;
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

void bf16_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b, float beta) {
  LVT_ASSERT(out.is_contiguous() && a.size(1) == b.size(0) && out.size(0) == a.size(0) &&
                 out.size(1) == b.size(1),
             "a product of [N, K] and [K, M] needs a contiguous [N, M]");
  if (out.numel() == 0) return;
  if (a.size(1) == 0) {
    out.mul_(beta);
    return;
  }
  const BlasMatrix left(a), right(b);
  cblas_gemm_bf16bf16f32(kRowMajor, left.transpose, right.transpose, static_cast<int>(a.size(0)),
                         static_cast<int>(b.size(1)), static_cast<int>(a.size(1)), 1, left.data(),
                         left.stride, right.data(), right.stride, beta,
                         out.mutable_data_ptr<float>(), static_cast<int>(out.size(1)));
}

void product_out(at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  adapt_wait_policy();
  const at::NoGradGuard no_grad;
  if (a.scalar_type() != at::kBFloat16) {
    at::mm_out(out, a, b);
  } else if (a.is_cpu()) {
    bf16_product(out, a, b, 0);
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
    bf16_product(out, a, b, 1);
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

}  // namespace lvtext
