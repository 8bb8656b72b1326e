// Rows of real tokens only: what is padding is never computed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lvtext {

/// Time-major order of a batch's tokens with sentences sorted by length, longest first, so that the
/// sentences alive at step t are the first sizes[t] rows.
struct PackPlan {
  std::vector<int64_t> sizes;    ///< sentences alive at each step; empty if all are empty
  std::vector<int64_t> offsets;  ///< first packed row of each step
  int64_t rows = 0;              ///< number of tokens N
  std::vector<int64_t> order;    ///< [B] sentence at each sorted place
  std::vector<int64_t> source;   ///< [N] row of [B * T] that a packed row comes from

  int64_t steps() const { return static_cast<int64_t>(sizes.size()); }
};

/// Plan for [B, T] with `lengths` ([B] int64; undefined: all T). `reverse` walks each sentence from
/// its own last token to its first. Throws std::logic_error if a length is not in 0..T.
PackPlan plan_packing(const at::Tensor& lengths, int64_t batch, int64_t time, bool reverse);

/// [B, T, ...] -> [N, ...]: the rows of real tokens, sentence after sentence. Differentiable.
at::Tensor pack_rows(const at::Tensor& padded, const at::Tensor& lengths);
/// [N, ...] -> [B, T, ...], zeros at padding: the inverse of pack_rows(). Differentiable.
at::Tensor unpack_rows(const at::Tensor& rows, const at::Tensor& lengths, int64_t time);
/// [N] -> [B]: sum over each sentence's rows. Differentiable.
at::Tensor sum_by_sentence(const at::Tensor& rows, const at::Tensor& lengths);

}  // namespace lvtext
