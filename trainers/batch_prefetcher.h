// A prefetcher for the batches of one stream: prepares them, in order, on a background thread.
#pragma once

#include <cstdint>
#include <memory>

#include "framework/core/datasets/prefetcher.h"
#include "framework/core/model/data_loader.h"

namespace lvtext {

/// Position of the next batch in a stream.
struct Cursor {
  int64_t epoch = 0;
  int64_t index = 0;
  bool operator==(const Cursor&) const = default;
};

/// Returns a stream's batches, starting at a cursor. The batches depend only on the stream; the
/// thread only computes them earlier.
class BatchPrefetcher {
 public:
  explicit BatchPrefetcher(std::shared_ptr<const DataLoader> stream, Cursor from = {});
  Batch next();
  /// Cursor of the batch that next() will return.
  const Cursor& cursor() const { return cursor_; }
  /// Number of passes so far, as a fraction.
  double epochs() const { return epochs_; }

 private:
  struct Item {
    Batch batch;
    Cursor after;
    double epochs = 0;
  };
  std::shared_ptr<const DataLoader> stream_;
  Cursor cursor_;
  double epochs_ = 0;
  std::unique_ptr<Prefetcher<Item>> ahead_;  ///< created by the first next()
};

}  // namespace lvtext
