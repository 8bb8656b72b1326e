// Packed rows as a stream of padded batches.
#pragma once

#include <memory>
#include <mutex>

#include "framework/data/batches.h"
#include "framework/data/packed_rows.h"
#include "framework/model/stream.h"

namespace lvtext {

/// Batches with the fields of the rows; example ids are row numbers.
class CorpusStream : public Stream {
 public:
  /// Throws DataError for an empty corpus.
  CorpusStream(PackedRows rows, const BatchOptions& options);
  int64_t batches(int64_t epoch) const override;
  Batch batch(int64_t epoch, int64_t index) const override;

 private:
  PackedRows rows_;
  mutable std::mutex mutex_;  // the plan keeps one epoch and is not thread-safe itself
  mutable BatchPlan plan_;
};

/// The rows numbered `places` as one batch.
Batch make_batch(const PackedRows& rows, const std::vector<int64_t>& places);

}  // namespace lvtext
