#include "framework/core/nn/sparse_rows.h"

#include <algorithm>
#include <utility>

#include "framework/core/nn/compaction.h"
#include "framework/core/nn/vector_math.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

LVT_WIDEST void add_scaled(const float* x, int64_t count, float factor, float* sum) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) sum[k] += factor * x[k];
}
LVT_WIDEST int64_t count_nonzero(const float* x, int64_t count) {
  int64_t found = 0;
#pragma omp simd reduction(+ : found)
  for (int64_t k = 0; k < count; ++k) found += x[k] != 0 ? 1 : 0;
  return found;
}
int64_t count_nonzero(const double* x, int64_t count) {
  return count - std::count(x, x + count, 0.0);
}

void add_scaled(const double* x, int64_t count, double factor, double* sum) {
  for (int64_t k = 0; k < count; ++k) sum[k] += factor * x[k];
}

}  // namespace

template <typename T>
SparseRows<T> sparse_rows(const at::Tensor& dense, double density) {
  const int64_t rows = dense.size(0), columns = dense.size(1);
  const T* x = dense.const_data_ptr<T>();
  std::vector<int64_t> offsets(rows + 1, 0);
  at::parallel_for(0, rows, 1, [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) offsets[r + 1] = count_nonzero(x + r * columns, columns);
  });
  for (int64_t r = 0; r < rows; ++r) offsets[r + 1] += offsets[r];
  if (static_cast<double>(offsets[rows]) > density * static_cast<double>(rows * columns)) return {};
  SparseRows<T> sparse{columns, std::move(offsets), {}, {}};
  sparse.ids.resize(sparse.offsets[rows]);
  sparse.values.resize(sparse.offsets[rows]);
  at::parallel_for(0, rows, 1, [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      copy_nonzero(x + r * columns, columns, sparse.values.data() + sparse.offsets[r],
                   sparse.ids.data() + sparse.offsets[r]);
    }
  });
  return sparse;
}

template <typename T>
void sparse_product(const SparseRows<T>& sparse, const at::Tensor& matrix, const at::Tensor& out) {
  const int64_t width = matrix.size(1);
  const T* of_columns = matrix.const_data_ptr<T>();
  T* sums = out.zero_().template mutable_data_ptr<T>();
  at::parallel_for(0, sparse.rows(), 1, [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      for (int64_t k = sparse.offsets[r]; k < sparse.offsets[r + 1]; ++k) {
        add_scaled(of_columns + sparse.ids[k] * width, width, sparse.values[k], sums + r * width);
      }
    }
  });
}

template <typename T>
void add_transposed_product(const SparseRows<T>& sparse, const at::Tensor& matrix,
                            const at::Tensor& out) {
  // Sorts the elements by column, so that each thread owns rows of `out`.
  std::vector<int64_t> ends(sparse.columns + 1, 0);
  for (const int32_t id : sparse.ids) ++ends[id + 1];
  for (int64_t v = 0; v < sparse.columns; ++v) ends[v + 1] += ends[v];
  std::vector<int32_t> row_of(sparse.ids.size());
  std::vector<T> value_of(sparse.ids.size());
  std::vector<int64_t> next(ends.begin(), ends.end() - 1);
  for (int64_t r = 0; r < sparse.rows(); ++r) {
    for (int64_t k = sparse.offsets[r]; k < sparse.offsets[r + 1]; ++k) {
      const int64_t index = next[sparse.ids[k]]++;
      row_of[index] = static_cast<int32_t>(r);
      value_of[index] = sparse.values[k];
    }
  }
  const int64_t width = matrix.size(1);
  const T* of_rows = matrix.const_data_ptr<T>();
  T* sums = out.mutable_data_ptr<T>();
  at::parallel_for(0, sparse.columns, 64, [&](int64_t from, int64_t to) {
    for (int64_t v = from; v < to; ++v) {
      for (int64_t k = ends[v]; k < ends[v + 1]; ++k) {
        add_scaled(of_rows + row_of[k] * width, width, value_of[k], sums + v * width);
      }
    }
  });
}

template <typename T>
void add_column_sums(const SparseRows<T>& sparse, const at::Tensor& out) {
  T* sums = out.mutable_data_ptr<T>();
  for (size_t k = 0; k < sparse.ids.size(); ++k) sums[sparse.ids[k]] += sparse.values[k];
}

#define LVT_SPARSE_ROWS(T)                                                                  \
  template struct SparseRows<T>;                                                            \
  template SparseRows<T> sparse_rows(const at::Tensor&, double);                            \
  template void sparse_product(const SparseRows<T>&, const at::Tensor&, const at::Tensor&); \
  template void add_transposed_product(const SparseRows<T>&, const at::Tensor&,             \
                                       const at::Tensor&);                                  \
  template void add_column_sums(const SparseRows<T>&, const at::Tensor&)
LVT_SPARSE_ROWS(float);
LVT_SPARSE_ROWS(double);
#undef LVT_SPARSE_ROWS

}  // namespace lvtext
