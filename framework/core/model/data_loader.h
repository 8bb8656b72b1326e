// Where a phase's batches come from: a pure function of (epoch, index), so that resuming needs only
// two numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "framework/core/model/batch.h"

namespace lvtext {

class DataLoader {
 public:
  virtual ~DataLoader() = default;
  /// Batches of one pass; at least 1.
  virtual int64_t batches(int64_t epoch) const = 0;
  /// Batch `index` of pass `epoch`, on the CPU. Thread-safe: called ahead by a background thread.
  virtual Batch batch(int64_t epoch, int64_t index) const = 0;
};

/// DataLoaders by the names that the model's phases draw from.
using DataLoaders = std::map<std::string, std::shared_ptr<const DataLoader>>;

}  // namespace lvtext
