// Matrix products, and a scope guard for the precision of their operands.
#pragma once

#include <ATen/core/Tensor.h>

namespace lvtext {

/// While alive, the products below round float32 operands to bfloat16 and accumulate in float32 if
/// `enabled`, in the same way on all devices. `enabled` = false disables rounding within an
/// enclosing scope. Everything else stays float32: parameters, states, pointwise functions, losses.
/// Scopes are thread-local, can be nested and restore the previous state. Rounded copies of
/// parameters are cached until the outermost scope ends; parameters must not change before that.
class MixedPrecisionScope {
 public:
  explicit MixedPrecisionScope(bool enabled);
  ~MixedPrecisionScope();
  MixedPrecisionScope(const MixedPrecisionScope&) = delete;
  MixedPrecisionScope& operator=(const MixedPrecisionScope&) = delete;

  /// Whether the innermost scope of this thread enables rounding.
  static bool active();

 private:
  bool was_active_;
};

/// The operand of a product for `x`: in mixed precision, float32 `x` rounded to bfloat16, otherwise
/// `x` itself. On a CPU without fast products of bfloat16 (cpu_bf16_support()), the rounded values
/// are stored as float32. Without gradient.
at::Tensor operand(const at::Tensor& x);
/// operand() of a parameter or of a view of one, cached until the outermost scope ends.
at::Tensor parameter_operand(const at::Tensor& parameter);

/// out = a b for operands [N, K] and [K, M], accumulated in the dtype of `out` [N, M]. Without
/// gradient.
void product_out(at::Tensor& out, const at::Tensor& a, const at::Tensor& b);
/// out += a b.
void add_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b);
/// a b as a new tensor; float32 for bfloat16 operands.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);

/// x weight^T + bias: [..., K], [M, K], [M] (or undefined) -> [..., M]. In mixed precision, the
/// gradients are also products of rounded operands, accumulated in float32, and second derivatives
/// are not supported: use MixedPrecisionScope(false) where they are needed.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

/// Cross-correlation of images with filters and zero padding: [B, I, H, W], [O, I, K, K], [O] (or
/// undefined) -> [B, O, H', W']. In mixed precision, the results of forward and backward pass are
/// rounded to bfloat16 as well, since ATen has no convolution of bfloat16 operands with a float32
/// result; sums are float32. Second derivatives as for affine().
at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                       int64_t stride, int64_t padding);

}  // namespace lvtext
