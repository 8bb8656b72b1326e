#include "framework/core/tensor/compute_mode.h"

#include <ATen/Context.h>

namespace lvtext {
namespace {

bool uses_tf32() {
  return at::globalContext().float32MatmulPrecision() != at::Float32MatmulPrecision::HIGHEST;
}

/// Sets what LibTorch keeps as separate settings: for products, which also sets oneDNN's, and for
/// cuDNN's convolutions and recurrent layers, which use TensorFloat-32 by default.
void use_tf32(bool enabled) {
  at::Context& context = at::globalContext();
  context.setFloat32MatmulPrecision(enabled ? "high" : "highest");
  context.setFloat32Precision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL,
                              at::Float32Precision::IEEE);
  context.setAllowTF32CuDNN(enabled);
}

/// LibTorch's deterministic mode; `fills`: it also fills each new tensor, by one more kernel.
void use_deterministic(bool enabled, bool fills) {
  at::globalContext().setDeterministicAlgorithms(enabled, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(fills);
}

}  // namespace

ComputeMode::ComputeMode(bool tf32, bool deterministic)
    : was_tf32_(uses_tf32()),
      was_deterministic_(at::globalContext().deterministicAlgorithms()),
      filled_(at::globalContext().deterministicFillUninitializedMemory()) {
  use_tf32(tf32);
  use_deterministic(deterministic, /*fills=*/false);
}

ComputeMode::ComputeMode(bool tf32)
    : ComputeMode(tf32, at::globalContext().deterministicAlgorithms()) {}

ComputeMode::~ComputeMode() {
  use_tf32(was_tf32_);
  use_deterministic(was_deterministic_, filled_);
}

}  // namespace lvtext
