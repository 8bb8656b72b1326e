// Products of bfloat16 matrices with float32 sums on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace lvtext {

/// What CPUID and the operating system report about a processor.
struct ProcessorFeatures {
  std::string vendor;        ///< leaf 0: "GenuineIntel", "AuthenticAMD", ...
  uint32_t leaf7_edx = 0;    ///< leaf 7, subleaf 0
  uint32_t leaf7_1_eax = 0;  ///< leaf 7, subleaf 1
  bool avx512_enabled = false, amx_enabled = false;  ///< by the operating system
};

/// How a CPU multiplies bfloat16 matrices.
struct Bf16Support {
  enum Kernel {
    kMkl,     ///< AMX
    kOneDnn,  ///< avx512_bf16 at twice the rate of float32
    kNone,    ///< in float32, which is as fast or faster
  };
  Kernel kernel = kNone;
  /// Why, as a phrase: "AMX", "avx512_bf16 without AMX on GenuineIntel, at half the rate of fp32".
  std::string reason;

  bool is_fast() const { return kernel != kNone; }
};

/// Decides by the processor, never by a measurement: results must not depend on one.
Bf16Support bf16_support(const ProcessorFeatures& features);

/// bf16_support() of this CPU. The first call asks the operating system for the use of AMX.
const Bf16Support& cpu_bf16_support();

/// out = a b, or out += a b if `adds`, for bfloat16 `a` [N, K] and `b` [K, M], which may be
/// transposed views, and contiguous float32 `out` [N, M]. Every kernel but kOneDnn is computed by
/// MKL. kOneDnn requires AVX-512, and a process without AMX: LibTorch does not configure AMX again
/// after MKL has used it. Its results do not depend on the number of threads.
void bf16_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool adds,
                  Bf16Support::Kernel kernel = cpu_bf16_support().kernel);

}  // namespace lvtext
