// Distinct words of a batch, for computations that depend only on the word.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "framework/core/nn/packing.h"

namespace lvtext {

/// N tokens as indices into a list of U distinct words.
struct DistinctWords {
  at::Tensor ids;              ///< [U] int64 on the CPU, in order of first appearance
  std::vector<int64_t> index;  ///< [N]: index of each token's word in `ids`
};

/// Distinct words of `ids` [N] (int64, on the CPU, in 0..vocabulary-1).
DistinctWords distinct_words(const at::Tensor& ids, int64_t vocabulary);
/// Distinct words of padded `ids` [B, T] (int64, on the CPU) in the plan's packed order.
DistinctWords distinct_words(const at::Tensor& ids, const PackPlan& plan, int64_t vocabulary);

/// Groups of rows of a matrix; group g has the rows rows[starts[g]] to rows[starts[g + 1] - 1].
struct RowGroups {
  std::vector<int64_t> starts, rows;
};

/// Groups rows n by group[n] (in 0..count-1); rows are in ascending order within a group.
RowGroups group_rows(const std::vector<int64_t>& group, int64_t count);
/// [N, W] -> [groups, W]: the sum of each group's rows in group order; 0 for empty groups. Supports
/// float32 and float64 on the CPU; no gradient.
at::Tensor sum_groups(const at::Tensor& x, const RowGroups& groups);

}  // namespace lvtext
