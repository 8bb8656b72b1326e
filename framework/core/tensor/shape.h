// Checks of tensor shapes.
#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>

namespace lvtext {

/// Entries of an expected shape: a dimension of any size, and, as the first entry only, any number
/// of leading dimensions.
inline constexpr int64_t kAnySize = -1, kLeadingDims = -2;

/// Whether `tensor` is defined and has the shape. Reads sizes only and does not synchronize with a
/// device.
inline bool has_shape(const at::Tensor& tensor, std::initializer_list<int64_t> shape) {
  if (!tensor.defined()) return false;
  const bool leading = shape.size() > 0 && *shape.begin() == kLeadingDims;
  const int64_t* expected = shape.begin() + (leading ? 1 : 0);
  const auto rank = static_cast<int64_t>(shape.end() - expected);
  const int64_t skipped = tensor.dim() - rank;
  if (leading ? skipped < 0 : skipped != 0) return false;
  for (int64_t k = 0; k < rank; ++k) {
    if (expected[k] != kAnySize && expected[k] != tensor.size(skipped + k)) return false;
  }
  return true;
}

/// Throws std::logic_error: "losses/kl.cpp:8: logvar has the shape [3, 4], expected {B, Z} =
/// [3, 5]". `name` and `letters`: source text of the macro's arguments.
[[noreturn]] void fail_shape(const at::Tensor& tensor, std::initializer_list<int64_t> shape,
                             const char* name, const char* letters, const char* file, int line);

}  // namespace lvtext

/// Checks the shape of a tensor argument: LVT_CHECK_SHAPE(z, {B, -1}). Entries are sizes, kAnySize
/// (-1) or, as the first entry, kLeadingDims.
#define LVT_CHECK_SHAPE(tensor, ...)                                                        \
  do {                                                                                      \
    if (!::lvtext::has_shape(tensor, __VA_ARGS__)) {                                        \
      ::lvtext::fail_shape(tensor, __VA_ARGS__, #tensor, #__VA_ARGS__, __FILE__, __LINE__); \
    }                                                                                       \
  } while (false)
