// What a function demands of its tensors' shapes.
#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>

namespace lvtext {

/// In an expected shape: any size of a dimension, and, as the first entry, any leading dimensions.
inline constexpr int64_t kAnySize = -1, kLeadingDims = -2;

/// Whether `tensor` is defined and has the shape. Reads sizes only: no synchronization with a
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
/// [3, 5]". `name` and `letters` are the expressions of the call.
[[noreturn]] void fail_shape(const at::Tensor& tensor, std::initializer_list<int64_t> shape,
                             const char* name, const char* letters, const char* file, int line);

}  // namespace lvtext

/// Checks the shape of a tensor that the caller of a function gave: LVT_CHECK_SHAPE(z, {B, -1}).
/// The entries are numbers: sizes, kAnySize (-1), first kLeadingDims.
#define LVT_CHECK_SHAPE(tensor, ...)                                                        \
  do {                                                                                      \
    if (!::lvtext::has_shape(tensor, __VA_ARGS__)) {                                        \
      ::lvtext::fail_shape(tensor, __VA_ARGS__, #tensor, #__VA_ARGS__, __FILE__, __LINE__); \
    }                                                                                       \
  } while (false)
