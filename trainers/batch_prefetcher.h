// The batches of one stream, in order, prepared by a background thread.
#pragma once

#include <cstdint>
#include <memory>

#include "framework/core/data/prefetcher.h"
#include "framework/core/model/data_loader.h"

namespace lvtext {

/// The batch that comes next.
struct Cursor {
  int64_t epoch = 0;
  int64_t index = 0;
  bool operator==(const Cursor&) const = default;
};

/// Hands out a stream's batches from a cursor on. What it returns is the stream's alone: the thread
/// only computes it earlier.
class BatchPrefetcher {
 public:
  explicit BatchPrefetcher(std::shared_ptr<const DataLoader> stream, Cursor from = {});
  Batch next();
  /// Of the batch that next() will return.
  const Cursor& cursor() const { return cursor_; }
  /// Passes so far, with their fraction.
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
  std::unique_ptr<Prefetcher<Item>> ahead_;  ///< from the first next() on
};

}  // namespace lvtext
