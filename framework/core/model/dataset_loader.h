// Data loader that makes padded batches from the rows of datasets.
#pragma once

#include <mutex>
#include <vector>

#include "framework/core/datasets/batches.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/model/data_loader.h"

namespace lvtext {

/// Makes batches with a field for every column. From a ragged column each example takes one item,
/// drawn by (seed, epoch, example); columns with equal numbers of items in a row take items of
/// equal index.
///
/// Datasets with unrelated rows are combined side by side (BatchPlan): the columns of side `s`
/// become fields named `<column>_<s>`.
class DatasetLoader : public DataLoader {
 public:
  /// Throws DataError for an empty dataset, or a ragged column with a row that has no items.
  DatasetLoader(Dataset dataset, const BatchOptions& options);
  DatasetLoader(std::vector<Dataset> sides, const BatchOptions& options);
  int64_t batches(int64_t epoch) const override;
  /// Example ids are row numbers or, for repeated rows, larger numbers (BatchRows).
  Batch batch(int64_t epoch, int64_t index) const override;

 private:
  std::vector<Dataset> sides_;
  uint64_t seed_;
  mutable std::mutex mutex_;  // the plan caches one epoch and is not thread-safe
  mutable BatchPlan plan_;
};

/// Returns the field name of a column of dataset `side` out of `sides` that are combined side by
/// side.
std::string field_name(const std::string& column, size_t side, size_t sides);

/// Describes the fields of the batches from `sides`, as columns with one item.
std::vector<ColumnDecl> field_shapes(const std::vector<Dataset>& sides);

/// Makes a batch of these rows, with the item `item` of ragged columns, modulo the row's number of
/// items: texts as padded ids [B, T]
/// and lengths, labels as int64 [B], numbers as float [B], vectors as float [B, D], images as uint8
/// [B, C, H, W].
Batch make_batch(const Dataset& dataset, const std::vector<int64_t>& rows, int64_t item = 0);

}  // namespace lvtext
