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

/// `values` as an int64 tensor on `device`, to index with.
at::Tensor index_tensor(const std::vector<int64_t>& values, const at::Device& device);
/// [B, ...] -> [B, ...] with sentences in the plan's order, and back. Differentiable.
at::Tensor sort_sentences(const at::Tensor& x, const PackPlan& plan);
at::Tensor unsort_sentences(const at::Tensor& sorted, const PackPlan& plan);
/// [B, T, ...] -> [N, ...] in the plan's time-major order, and back with zeros at padding.
/// Differentiable.
at::Tensor to_packed(const at::Tensor& padded, const PackPlan& plan);
at::Tensor from_packed(const at::Tensor& packed, const PackPlan& plan, int64_t time);
/// Each sentence's state after its own last step, in the plan's order: `states[t]` is
/// [sizes[t], ...], `initial` [B, ...] serves empty sentences. Differentiable.
at::Tensor final_states(const std::vector<at::Tensor>& states, const at::Tensor& initial,
                        const PackPlan& plan);

/// [B, T, ...] -> [N, ...]: the rows of real tokens, sentence after sentence. Differentiable.
at::Tensor pack_rows(const at::Tensor& padded, const at::Tensor& lengths);
/// [N, ...] -> [B, T, ...], zeros at padding: the inverse of pack_rows(). Differentiable.
at::Tensor unpack_rows(const at::Tensor& rows, const at::Tensor& lengths, int64_t time);
/// [N] -> [B]: sum over each sentence's rows. Differentiable.
at::Tensor sum_by_sentence(const at::Tensor& rows, const at::Tensor& lengths);

}  // namespace lvtext
