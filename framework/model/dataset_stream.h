// The rows of a dataset as a stream of padded batches.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "framework/data/batches.h"
#include "framework/data/dataset.h"
#include "framework/model/stream.h"

namespace lvtext {

/// Batches with a field for every column; example ids are row numbers.
class DatasetStream : public Stream {
 public:
  /// Throws DataError for a dataset without rows.
  DatasetStream(Dataset dataset, const BatchOptions& options);
  int64_t batches(int64_t epoch) const override;
  Batch batch(int64_t epoch, int64_t index) const override;

 private:
  Dataset dataset_;
  mutable std::mutex mutex_;  // the plan keeps one epoch and is not thread-safe itself
  mutable BatchPlan plan_;
};

/// These rows as one batch: texts as padded ids [B, T] with their lengths, labels as int64 [B],
/// numbers as float [B], vectors as float [B, D], images as bytes [B, C, H, W].
Batch make_batch(const Dataset& dataset, const std::vector<int64_t>& rows);

}  // namespace lvtext
