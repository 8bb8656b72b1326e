// The rows of datasets as a stream of padded batches.
#pragma once

#include <mutex>
#include <vector>

#include "framework/core/data/batches.h"
#include "framework/core/data/dataset.h"
#include "framework/core/model/data_loader.h"

namespace lvtext {

/// Batches with a field for every column. Of a ragged column each example has one item, drawn by
/// (seed, epoch, example): equally many items of two columns give the same one of both.
///
/// Datasets whose rows do not belong together are put side by side (BatchPlan): the columns of side
/// `s` become fields named `<column>_<s>`.
class DatasetLoader : public DataLoader {
 public:
  /// Throws DataError for a dataset without rows, or a ragged column with an empty row.
  DatasetLoader(Dataset dataset, const BatchOptions& options);
  DatasetLoader(std::vector<Dataset> sides, const BatchOptions& options);
  int64_t batches(int64_t epoch) const override;
  /// Example ids are row numbers or, of a repeated row, numbers beyond them (BatchRows).
  Batch batch(int64_t epoch, int64_t index) const override;

 private:
  std::vector<Dataset> sides_;
  uint64_t seed_;
  mutable std::mutex mutex_;  // the plan keeps one epoch and is not thread-safe itself
  mutable BatchPlan plan_;
};

/// The name of the field of a column, of datasets of which there are `sides` side by side.
std::string field_name(const std::string& column, size_t side, size_t sides);

/// What the fields of a stream of `sides` hold, as columns of one item.
std::vector<ColumnDecl> field_shapes(const std::vector<Dataset>& sides);

/// These rows as one batch, of ragged columns the first items: texts as padded ids [B, T] with
/// their lengths, labels as int64 [B], numbers as float [B], vectors as float [B, D], images as
/// bytes [B, C, H, W].
Batch make_batch(const Dataset& dataset, const std::vector<int64_t>& rows);

}  // namespace lvtext
