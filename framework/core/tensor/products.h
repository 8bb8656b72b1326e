// Matrix products, and the precision of their operands in a scope.
#pragma once

#include <ATen/core/Tensor.h>

namespace lvtext {

/// For its lifetime, the products below round float32 operands to bfloat16 and sum in float32
/// (`wanted`), or do not round (not `wanted`; for computations inside such a scope that must not be
/// rounded), on all devices. Parameters, states, pointwise functions and losses remain float32.
/// Scopes are per thread and can be nested. Rounded copies of parameters are cached until the
/// outermost scope ends; parameters must not change before.
class MixedPrecisionScope {
 public:
  explicit MixedPrecisionScope(bool wanted);
  ~MixedPrecisionScope();
  MixedPrecisionScope(const MixedPrecisionScope&) = delete;
  MixedPrecisionScope& operator=(const MixedPrecisionScope&) = delete;

  /// True within a scope with `wanted`.
  static bool active();

 private:
  bool was_active_;
};

/// True if this CPU multiplies bfloat16 matrices in hardware (AMX), several times faster than
/// float32. On other CPUs, mixed precision computes the same products with float32 instructions.
bool cpu_has_amx();

/// The operand of a product: in mixed precision, float32 `x` rounded to bfloat16, otherwise `x`. On
/// a CPU without AMX the rounded values are stored as float32. Without gradient.
at::Tensor operand(const at::Tensor& x);
/// operand() of a parameter, or of a view of one, computed once in the outermost scope.
at::Tensor parameter_operand(const at::Tensor& parameter);

/// out = a b for operands [N, K] and [K, M], summed in the type of `out` [N, M]. Without gradient.
void product_out(at::Tensor& out, const at::Tensor& a, const at::Tensor& b);
/// out += a b.
void add_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b);
/// a b as a new tensor; float32 for bfloat16 operands.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);

/// x weight^T + bias: [..., K], [M, K], [M] (or undefined) -> [..., M]. In mixed precision the
/// gradients are products of rounded operands too, summed in float32, and there is no second
/// derivative; computations that need one must use a scope without `wanted`.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

/// out = a b + beta out for bfloat16 a and b, which may be transposed views, and contiguous float32
/// `out`, on the CPU. Computed by MKL, in hardware with AMX.
void bf16_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b, float beta);

}  // namespace lvtext
