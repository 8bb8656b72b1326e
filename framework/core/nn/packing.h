// Packing of padded batches, so that nothing is computed for padding.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lvtext {

/// Time-major order of a batch's tokens with sentences sorted by length, longest first, so that the
/// active sentences at step t are the first sizes[t] rows.
struct PackPlan {
  std::vector<int64_t> sizes;  ///< active sentences at each step; empty if all sentences are empty
  std::vector<int64_t> offsets;  ///< first packed row of each step
  int64_t rows = 0;              ///< number of tokens N
  std::vector<int64_t> order;    ///< [B]: sentence at each sorted position
  std::vector<int64_t> source;   ///< [N]: row of [B * T] of each packed row

  int64_t steps() const { return static_cast<int64_t>(sizes.size()); }
};

/// Makes the plan for [B, T] with `lengths` ([B] int64; undefined: all T). `reverse` processes each
/// sentence from its last token to its first. Throws std::logic_error if a length is not in 0..T.
PackPlan plan_packing(const at::Tensor& lengths, int64_t batch, int64_t time, bool reverse);

/// Returns `values` as an int64 tensor on `device`, for indexing.
at::Tensor index_tensor(const std::vector<int64_t>& values, const at::Device& device);
/// [B, ...] -> [B, ...] with sentences in the plan's order, and back. Differentiable.
at::Tensor sort_sentences(const at::Tensor& x, const PackPlan& plan);
at::Tensor unsort_sentences(const at::Tensor& sorted, const PackPlan& plan);
/// [B, T, ...] -> [N, ...] in the plan's time-major order, and back with zeros at padding.
/// Differentiable.
at::Tensor to_packed(const at::Tensor& padded, const PackPlan& plan);
at::Tensor from_packed(const at::Tensor& packed, const PackPlan& plan, int64_t time);
/// State of each sentence after its last step, in the plan's order: `states[t]` is [sizes[t], ...];
/// `initial` [B, ...] is used for empty sentences. Differentiable.
at::Tensor final_states(const std::vector<at::Tensor>& states, const at::Tensor& initial,
                        const PackPlan& plan);

/// [B, T, ...] -> [N, ...]: the rows of tokens without padding, sentence by sentence.
/// Differentiable.
at::Tensor pack_rows(const at::Tensor& padded, const at::Tensor& lengths);
/// [N, ...] -> [B, T, ...], zeros at padding: the inverse of pack_rows(). Differentiable.
at::Tensor unpack_rows(const at::Tensor& rows, const at::Tensor& lengths, int64_t time);
/// [N] -> [B]: sum over each sentence's rows. Differentiable.
at::Tensor sum_by_sentence(const at::Tensor& rows, const at::Tensor& lengths);

}  // namespace lvtext
