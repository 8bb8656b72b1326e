#include "framework/core/model/dataset_loader.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

/// mix_bits stream from which the items of an example are drawn.
constexpr uint64_t kItemStream = 4;

/// One item of a column.
struct Item {
  int64_t row, item;
};

/// Adds a text field: ids [B, T] and lengths [B].
void add_text(Batch& batch, const std::string& field, const DatasetColumn& column,
              const std::vector<Item>& items) {
  int64_t longest = 1;
  for (const auto& [row, item] : items) longest = std::max(longest, column.length(row, item));
  const auto count = static_cast<int64_t>(items.size());
  // Padding is determined by the lengths, so any valid id works here.
  const int32_t pad = column.decl().vocabulary.pad.value_or(0);
  at::Tensor ids = at::full({count, longest}, pad, at::kLong);
  at::Tensor lengths = at::empty({count}, at::kLong);
  auto* length = lengths.mutable_data_ptr<int64_t>();
  auto* token = ids.mutable_data_ptr<int64_t>();
  for (const auto& [row, item] : items) {
    *length++ = column.length(row, item);
    column.copy(row, item, token);
    token += longest;
  }
  batch.fields[field] = ids;
  batch.fields[field + ".lengths"] = lengths;
}

/// Stacks items of equal shape to one tensor [B, ...].
template <class T>
at::Tensor stack(const DatasetColumn& column, const std::vector<Item>& items) {
  std::vector<int64_t> shape = {static_cast<int64_t>(items.size())};
  shape.insert(shape.end(), column.decl().shape.begin(), column.decl().shape.end());
  at::Tensor values = at::empty(shape, c10::CppTypeToScalarType<T>::value);
  T* to = values.mutable_data_ptr<T>();
  for (const auto& [row, item] : items) {
    column.copy(row, item, to);
    to += column.decl().width();
  }
  return values;
}

void add_field(Batch& batch, const std::string& field, const DatasetColumn& column,
               const std::vector<Item>& items) {
  switch (column.decl().kind) {
    case ColumnKind::kText: return add_text(batch, field, column, items);
    case ColumnKind::kLabel: batch.fields[field] = stack<int64_t>(column, items); return;
    case ColumnKind::kNumber:
    case ColumnKind::kVector: batch.fields[field] = stack<float>(column, items); return;
    case ColumnKind::kImage: batch.fields[field] = stack<uint8_t>(column, items); return;
  }
}

std::vector<std::vector<int64_t>> lengths_of(const std::vector<Dataset>& sides) {
  std::vector<std::vector<int64_t>> lengths;
  for (const Dataset& side : sides) lengths.push_back(side.lengths());
  return lengths;
}

void check_items(const Dataset& dataset) {
  for (const DatasetColumn& column : dataset.columns()) {
    for (int64_t row = 0; column.decl().ragged && row < column.size(); ++row) {
      if (column.items(row) > 0) continue;
      throw DataError("the column '" + column.decl().name + "' has no item in row " +
                      format_count(row + 1) + "; every row must have at least one item");
    }
  }
}

}  // namespace

DatasetLoader::DatasetLoader(Dataset dataset, const BatchOptions& options)
    : DatasetLoader(std::vector<Dataset>{std::move(dataset)}, options) {}

DatasetLoader::DatasetLoader(std::vector<Dataset> sides, const BatchOptions& options)
    : sides_(std::move(sides)),
      seed_(static_cast<uint64_t>(options.seed)),
      plan_(lengths_of(sides_), options) {
  for (const Dataset& side : sides_) check_items(side);
}

int64_t DatasetLoader::batches(int64_t epoch) const {
  const std::lock_guard lock(mutex_);
  return plan_.batch_count(epoch);
}

Batch DatasetLoader::batch(int64_t epoch, int64_t index) const {
  BatchRows chosen;
  {
    const std::lock_guard lock(mutex_);
    chosen = plan_.rows(epoch, index);
  }
  const uint64_t key = mix_bits(seed_, static_cast<uint64_t>(epoch), kItemStream);
  Batch batch;
  batch.example_ids = at::tensor(chosen.examples, at::kLong);
  for (size_t side = 0; side < sides_.size(); ++side) {
    for (const DatasetColumn& column : sides_[side].columns()) {
      std::vector<Item> items;
      for (size_t i = 0; i < chosen.examples.size(); ++i) {
        const int64_t row = chosen.rows[side][i];
        const auto count = static_cast<uint64_t>(column.items(row));
        const auto example = static_cast<uint64_t>(chosen.examples[i]);
        items.push_back({row, static_cast<int64_t>(mix_bits(key, example, 0) % count)});
      }
      add_field(batch, field_name(column.decl().name, side, sides_.size()), column, items);
    }
  }
  return batch;
}

std::string field_name(const std::string& column, size_t side, size_t sides) {
  return sides == 1 ? column : column + "_" + std::to_string(side);
}

std::vector<ColumnDecl> field_shapes(const std::vector<Dataset>& sides) {
  std::vector<ColumnDecl> fields;
  for (size_t side = 0; side < sides.size(); ++side) {
    for (const DatasetColumn& column : sides[side].columns()) {
      ColumnDecl& field = fields.emplace_back(column.decl());
      field.name = field_name(field.name, side, sides.size());
      field.ragged = false;
    }
  }
  return fields;
}

Batch make_batch(const Dataset& dataset, const std::vector<int64_t>& rows, int64_t item) {
  Batch batch;
  batch.example_ids = at::tensor(rows, at::kLong);
  for (const DatasetColumn& column : dataset.columns()) {
    std::vector<Item> items;
    for (const int64_t row : rows) {
      const int64_t count = column.items(row);
      items.push_back({row, count > 0 ? item % count : item});
    }
    add_field(batch, column.decl().name, column, items);
  }
  return batch;
}

}  // namespace lvtext
