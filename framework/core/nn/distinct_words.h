// The distinct words of a batch: what depends on the word alone is computed once for each.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "framework/core/nn/packing.h"

namespace lvtext {

/// N tokens as places in a list of U distinct words.
struct DistinctWords {
  at::Tensor ids;              ///< [U] int64 on the CPU, in order of first appearance
  std::vector<int64_t> place;  ///< [N] of each token's word in `ids`
};

/// The words of `ids` [N] (int64, on the CPU, in 0..vocabulary-1).
DistinctWords distinct_words(const at::Tensor& ids, int64_t vocabulary);
/// The words of padded `ids` [B, T] (int64, on the CPU) in the plan's packed order.
DistinctWords distinct_words(const at::Tensor& ids, const PackPlan& plan, int64_t vocabulary);

/// Rows of a matrix that are summed into one: group g holds rows[starts[g]] to rows[starts[g + 1]].
struct RowGroups {
  std::vector<int64_t> starts, rows;
};

/// Rows with equal `group` (in 0..count-1) together, each group in ascending order.
RowGroups group_rows(const std::vector<int64_t>& group, int64_t count);
/// [N, W] -> [groups, W]: the sum of each group's rows in their order, 0 for an empty group.
/// float32 and float64 on the CPU; no gradient.
at::Tensor sum_groups(const at::Tensor& x, const RowGroups& groups);

}  // namespace lvtext
