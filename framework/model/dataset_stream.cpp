#include "framework/model/dataset_stream.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace lvtext {
namespace {

/// Adds a text as ids [B, T] with their lengths.
void add_text(Batch& batch, const DatasetColumn& column, const std::vector<int64_t>& rows) {
  int64_t longest = 1;
  for (const int64_t row : rows) longest = std::max(longest, column.length(row));
  const auto count = static_cast<int64_t>(rows.size());
  at::Tensor ids = at::full({count, longest}, kPad, at::kLong);
  at::Tensor lengths = at::empty({count}, at::kLong);
  auto* length = lengths.mutable_data_ptr<int64_t>();
  auto* token = ids.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    length[i] = column.length(rows[i]);
    column.copy(rows[i], 0, token + i * longest);
  }
  batch.fields[column.decl().name] = ids;
  batch.fields[column.decl().name + ".lengths"] = lengths;
}

/// Items of equal shape as one tensor [B, ...].
template <class T>
at::Tensor stack(const DatasetColumn& column, const std::vector<int64_t>& rows) {
  std::vector<int64_t> shape = {static_cast<int64_t>(rows.size())};
  shape.insert(shape.end(), column.decl().shape.begin(), column.decl().shape.end());
  at::Tensor values = at::empty(shape, c10::CppTypeToScalarType<T>::value);
  T* to = values.mutable_data_ptr<T>();
  for (const int64_t row : rows) {
    column.copy(row, 0, to);
    to += column.decl().width();
  }
  return values;
}

}  // namespace

DatasetStream::DatasetStream(Dataset dataset, const BatchOptions& options)
    : dataset_(std::move(dataset)), plan_(dataset_.lengths(), options) {}

int64_t DatasetStream::batches(int64_t epoch) const {
  const std::lock_guard lock(mutex_);
  return plan_.batch_count(epoch);
}

Batch DatasetStream::batch(int64_t epoch, int64_t index) const {
  std::vector<int64_t> rows;
  {
    const std::lock_guard lock(mutex_);
    rows = plan_.batch(epoch, index);
  }
  return make_batch(dataset_, rows);
}

Batch make_batch(const Dataset& dataset, const std::vector<int64_t>& rows) {
  Batch batch;
  batch.example_ids = at::tensor(rows, at::kLong);
  for (const DatasetColumn& column : dataset.columns()) {
    at::Tensor& field = batch.fields[column.decl().name];
    switch (column.decl().kind) {
      case ColumnKind::kText: add_text(batch, column, rows); break;
      case ColumnKind::kLabel: field = stack<int64_t>(column, rows); break;
      case ColumnKind::kNumber:
      case ColumnKind::kVector: field = stack<float>(column, rows); break;
      case ColumnKind::kImage: field = stack<uint8_t>(column, rows); break;
    }
  }
  return batch;
}

}  // namespace lvtext
