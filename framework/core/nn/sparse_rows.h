// Sparse rows of a matrix and their products with dense matrices, on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lvtext {

/// The nonzero elements of a matrix [R, V], row after row (compressed sparse rows). `T` is float or
/// double.
template <typename T>
struct SparseRows {
  int64_t columns = 0;           ///< V
  std::vector<int64_t> offsets;  ///< [R + 1] first element of each row, then their number
  std::vector<int32_t> ids;      ///< column of each element
  std::vector<T> values;

  int64_t rows() const { return static_cast<int64_t>(offsets.size()) - 1; }
};

/// The elements of `dense` [R, V] that are not 0; without columns if their share is above
/// `density`. `T` is the type of the matrix.
template <typename T>
SparseRows<T> sparse_rows(const at::Tensor& dense, double density = 1);

/// out = sparse matrix, for `matrix` [V, H] and `out` [R, H], both contiguous.
template <typename T>
void sparse_product(const SparseRows<T>& sparse, const at::Tensor& matrix, const at::Tensor& out);

/// out += sparse^T matrix, for `matrix` [R, H] and `out` [V, H], both contiguous. Only rows of
/// `out` whose column has an element are touched. Sums are in the order of rows, for any number of
/// threads.
template <typename T>
void add_transposed_product(const SparseRows<T>& sparse, const at::Tensor& matrix,
                            const at::Tensor& out);

/// out += the sum of each column, for `out` [V].
template <typename T>
void add_column_sums(const SparseRows<T>& sparse, const at::Tensor& out);

}  // namespace lvtext
