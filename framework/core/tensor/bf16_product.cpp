#include "framework/core/tensor/bf16_product.h"

#include <ATen/cpu/Utils.h>
#include <ATen/native/CPUBlas.h>

#include <array>
#include <cstring>

#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

// Function of MKL, which libtorch_cpu.so contains and exports, but provides no header for.
extern "C" void cblas_gemm_bf16bf16f32(int layout, int trans_a, int trans_b, int m, int n, int k,
                                       float alpha, const uint16_t* a, int lda, const uint16_t* b,
                                       int ldb, float beta, float* c, int ldc);

namespace lvtext {
namespace {

constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;

ProcessorFeatures read_cpuid() {
  ProcessorFeatures features;
#if defined(__x86_64__)
  std::array<uint32_t, 4> r{};
  if (__get_cpuid(0, &r[0], &r[1], &r[2], &r[3]) == 0) return features;
  for (const size_t part : {1, 3, 2}) {
    features.vendor.append(reinterpret_cast<const char*>(&r[part]), sizeof r[part]);
  }
  if (__get_cpuid_count(7, 0, &r[0], &r[1], &r[2], &r[3]) != 0) features.leaf7_edx = r[3];
  if (__get_cpuid_count(7, 1, &r[0], &r[1], &r[2], &r[3]) != 0) features.leaf7_1_eax = r[0];
  features.avx512_enabled = __builtin_cpu_supports("avx512bw") != 0;
  features.amx_enabled = true;
  features.amx_enabled = bf16_support(features).kernel == Bf16Support::kMkl && at::cpu::init_amx();
#endif
  return features;
}

/// A matrix in a layout supported by BLAS: row-major, or the transpose of a row-major matrix.
struct BlasMatrix {
  at::Tensor values;
  bool transposed;
  int64_t stride;

  explicit BlasMatrix(const at::Tensor& x) : values(x) {
    const bool by_rows = x.stride(1) == 1 && x.stride(0) >= x.size(1);
    const bool by_columns = x.stride(0) == 1 && x.stride(1) >= x.size(0);
    if (!by_rows && !by_columns) values = x.contiguous();
    transposed = by_columns && !by_rows;
    stride = values.stride(transposed ? 1 : 0);
  }
  const uint16_t* data() const {
    return reinterpret_cast<const uint16_t*>(values.const_data_ptr<at::BFloat16>());
  }
  int64_t rows() const { return values.size(0); }
  int64_t columns() const { return values.size(1); }
};

void mkl_product(float* out, const BlasMatrix& a, const BlasMatrix& b, bool adds) {
  const auto flag = [](const BlasMatrix& x) { return x.transposed ? kTranspose : kNoTranspose; };
  const auto columns = static_cast<int>(b.columns());
  cblas_gemm_bf16bf16f32(kRowMajor, flag(a), flag(b), static_cast<int>(a.rows()), columns,
                         static_cast<int>(a.columns()), 1, a.data(), static_cast<int>(a.stride),
                         b.data(), static_cast<int>(b.stride), adds ? 1.0f : 0.0f, out, columns);
}

// oneDNN's kernel multiplies a block of rows of `a` by a panel of columns of `b` whose rows are
// interleaved in pairs. LibTorch compiles one for each combination of sizes and keeps it, so the
// sizes that vary between steps, the numbers of rows and of summands of gradients, are divided into
// blocks of few sizes.
constexpr int64_t kRows = 64, kColumns = 64, kSummands = 1024, kPadding = 32;

int64_t rounded_up(int64_t count, int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// A panel of `b`: `width` columns from `first` on, as [K / 2, kColumns, 2], followed by zeros up
/// to `padded` summands.
void pack_panel(const BlasMatrix& b, int64_t first, int64_t width, int64_t padded, uint16_t* out) {
  const int64_t summands = b.rows(), pairs = summands / 2;
  const uint16_t* from = b.data() + first * (b.transposed ? b.stride : 1);
  const int64_t filled = rounded_up(summands, 2);
  if (width < kColumns || filled != summands) std::fill(out, out + filled * kColumns, uint16_t{0});
  if (b.transposed) {
    constexpr int64_t kBlock = 16;  // pairs of which the columns are read in turn
    for (int64_t begin = 0; begin < pairs; begin += kBlock) {
      const int64_t end = std::min(pairs, begin + kBlock);
      for (int64_t j = 0; j < width; ++j) {
        for (int64_t k = begin; k < end; ++k) {
          std::memcpy(out + 2 * (k * kColumns + j), from + j * b.stride + 2 * k, 4);
        }
      }
    }
  } else {
    for (int64_t k = 0; k < pairs; ++k) {
      const uint16_t *even = from + 2 * k * b.stride, *odd = even + b.stride;
      uint16_t* pair = out + 2 * k * kColumns;
      for (int64_t j = 0; j < width; ++j) {
        pair[2 * j] = even[j];
        pair[2 * j + 1] = odd[j];
      }
    }
  }
  if (filled != summands) {
    const int64_t step = b.transposed ? b.stride : 1;
    const uint16_t* last = from + (summands - 1) * (b.transposed ? 1 : b.stride);
    for (int64_t j = 0; j < width; ++j) out[2 * (pairs * kColumns + j)] = last[j * step];
  }
  std::fill(out + filled * kColumns, out + padded * kColumns, uint16_t{0});
}

/// Rows `first` to `last` of `a` as rows of `padded` summands, the last ones zero.
void copy_rows(const BlasMatrix& a, int64_t first, int64_t last, int64_t padded, uint16_t* out) {
  const int64_t summands = a.columns();
  const int64_t row_step = a.transposed ? 1 : a.stride, step = a.transposed ? a.stride : 1;
  constexpr int64_t kBlock = 32;  // summands of which the rows are read in turn
  for (int64_t begin = 0; begin < summands; begin += kBlock) {
    const int64_t end = std::min(summands, begin + kBlock);
    for (int64_t i = first; i < last; ++i) {
      const uint16_t* from = a.data() + i * row_step;
      for (int64_t k = begin; k < end; ++k) out[i * padded + k] = from[k * step];
    }
  }
  for (int64_t i = first; i < last; ++i) {
    std::fill(out + i * padded + summands, out + (i + 1) * padded, uint16_t{0});
  }
}

void onednn_product(float* out, const BlasMatrix& a, const BlasMatrix& b, bool adds) {
  const int64_t rows = a.rows(), columns = b.columns(), summands = a.columns();
  const int64_t blocks = rounded_up(rows, kRows) / kRows;
  const int64_t panels = rounded_up(columns, kColumns) / kColumns;
  // The kernel reads rows of `a`, and pairs of summands.
  const bool copies = a.transposed || summands % 2 != 0;
  const int64_t padded = copies ? rounded_up(summands, kPadding) : summands;
  const auto options = at::TensorOptions().dtype(at::kBFloat16);
  const at::Tensor packed = at::empty({panels, padded, kColumns}, options);
  const at::Tensor copied = at::empty({copies ? rows : 0, padded}, options);
  auto* panel_data = reinterpret_cast<uint16_t*>(packed.mutable_data_ptr<at::BFloat16>());
  auto* row_data = reinterpret_cast<uint16_t*>(copied.mutable_data_ptr<at::BFloat16>());
  at::parallel_for(0, panels, 1, [&](int64_t from, int64_t to) {
    for (int64_t p = from; p < to; ++p) {
      pack_panel(b, p * kColumns, std::min(kColumns, columns - p * kColumns), padded,
                 panel_data + p * padded * kColumns);
    }
  });
  if (copies) {
    at::parallel_for(0, rows, kRows,
                     [&](int64_t from, int64_t to) { copy_rows(a, from, to, padded, row_data); });
  }
  const uint16_t* left = copies ? row_data : a.data();
  const int64_t left_stride = copies ? padded : a.stride;
  at::parallel_for(0, panels * blocks, 1, [&](int64_t from, int64_t to) {
    for (int64_t task = from; task < to; ++task) {
      const int64_t panel = task / blocks, row = task % blocks * kRows, column = panel * kColumns;
      for (int64_t k = 0; k < padded; k += kSummands) {
        at::native::cpublas::brgemm(
            std::min(kRows, rows - row), std::min(kColumns, columns - column),
            std::min(kSummands, padded - k), left_stride, kColumns, columns, adds || k > 0,
            reinterpret_cast<const at::BFloat16*>(left + row * left_stride + k),
            reinterpret_cast<const at::BFloat16*>(panel_data + (panel * padded + k) * kColumns),
            out + row * columns + column, /*is_vnni=*/true);
      }
    }
  });
}

}  // namespace

Bf16Support bf16_support(const ProcessorFeatures& features) {
  constexpr uint32_t kAmxBf16 = 1U << 22, kAmxTile = 1U << 24;  // of leaf7_edx
  constexpr uint32_t kAvx512Bf16 = 1U << 5;                     // of leaf7_1_eax
  const bool has_amx = features.amx_enabled && (features.leaf7_edx & kAmxBf16) != 0 &&
                       (features.leaf7_edx & kAmxTile) != 0;
  const bool has_avx512 = features.avx512_enabled && (features.leaf7_1_eax & kAvx512Bf16) != 0;
  if (has_amx) return {Bf16Support::kMkl, "AMX"};
  if (!has_avx512) return {Bf16Support::kNone, "neither AMX nor avx512_bf16"};
  // AMD multiplies bfloat16 at twice the rate of float32, Intel at half of it.
  const std::string vendor = features.vendor.empty() ? "an unknown processor" : features.vendor;
  if (vendor == "AuthenticAMD") return {Bf16Support::kOneDnn, "avx512_bf16 on " + vendor};
  return {Bf16Support::kNone,
          "avx512_bf16 without AMX on " + vendor + ", which is slower than float32 instructions"};
}

const Bf16Support& cpu_bf16_support() {
  static const Bf16Support support = bf16_support(read_cpuid());
  return support;
}

void bf16_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool adds,
                  Bf16Support::Kernel kernel) {
  LVT_ASSERT(out.is_contiguous() && a.size(1) == b.size(0) && out.size(0) == a.size(0) &&
                 out.size(1) == b.size(1),
             "a product of [N, K] and [K, M] needs a contiguous [N, M]");
  if (out.numel() == 0) return;
  if (a.size(1) == 0) {
    if (!adds) out.zero_();
    return;
  }
  auto* sums = out.mutable_data_ptr<float>();
  if (kernel == Bf16Support::kOneDnn) {
    onednn_product(sums, BlasMatrix(a), BlasMatrix(b), adds);
  } else {
    mkl_product(sums, BlasMatrix(a), BlasMatrix(b), adds);
  }
}

}  // namespace lvtext
