// Interface for sources of batches. A batch is a pure function of (epoch, index), so resuming
// requires only these two numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "framework/core/model/batch.h"

namespace lvtext {

/// The batches of one stream of a model, by epoch and index, both from 0. Implementations draw any
/// randomness from these two numbers and their own seed.
class DataLoader {
 public:
  virtual ~DataLoader() = default;
  /// Number of batches in the epoch; at least 1.
  virtual int64_t batches(int64_t epoch) const = 0;
  /// Returns batch `index` of `epoch`, on the CPU. Thread-safe: a background thread prefetches
  /// batches.
  virtual Batch batch(int64_t epoch, int64_t index) const = 0;
};

/// Data loaders by the names of the model's streams.
using DataLoaders = std::map<std::string, std::shared_ptr<const DataLoader>>;

}  // namespace lvtext
