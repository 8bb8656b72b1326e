#include "framework/core/nn/sparse_rows.h"

#include <algorithm>

#include "framework/core/nn/vector_math.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

LVT_WIDEST void add_scaled(const float* x, int64_t count, float factor, float* sum) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) sum[k] += factor * x[k];
}
void add_scaled(const double* x, int64_t count, double factor, double* sum) {
  for (int64_t k = 0; k < count; ++k) sum[k] += factor * x[k];
}

}  // namespace

template <typename T>
double SparseRows<T>::density() const {
  return static_cast<double>(values.size()) /
         static_cast<double>(std::max<int64_t>(1, rows() * columns));
}

template <typename T>
void write_dense(const SparseRows<T>& sparse, const at::Tensor& dense) {
  T* out = dense.zero_().template mutable_data_ptr<T>();
  at::parallel_for(0, sparse.rows(), 1, [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      for (int64_t k = sparse.offsets[r]; k < sparse.offsets[r + 1]; ++k) {
        out[r * sparse.columns + sparse.ids[k]] = sparse.values[k];
      }
    }
  });
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
  template void write_dense(const SparseRows<T>&, const at::Tensor&);                       \
  template void sparse_product(const SparseRows<T>&, const at::Tensor&, const at::Tensor&); \
  template void add_transposed_product(const SparseRows<T>&, const at::Tensor&,             \
                                       const at::Tensor&);                                  \
  template void add_column_sums(const SparseRows<T>&, const at::Tensor&)
LVT_SPARSE_ROWS(float);
LVT_SPARSE_ROWS(double);
#undef LVT_SPARSE_ROWS

}  // namespace lvtext
