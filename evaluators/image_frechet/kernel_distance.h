// Kernel distance between two sets of vectors.
#pragma once

#include <ATen/core/Tensor.h>

namespace lvtext {

/// Unbiased squared maximum mean discrepancy between the rows of `x` [N1, E] and `y` [N2, E] with
/// the kernel k(a, b) = (a.b / E + 1)^3 (Binkowski et al. 2018), of all rows, in float64:
/// mean_{i != j} k(x_i, x_j) + mean_{i != j} k(y_i, y_j) - 2 mean_{ij} k(x_i, y_j). Its expectation
/// is 0 for equal distributions of any number of vectors; it may be negative. Throws
/// std::logic_error unless both have the same width and at least two rows.
double kernel_distance(const at::Tensor& x, const at::Tensor& y);

}  // namespace lvtext
