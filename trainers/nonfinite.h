// What happens on losses and gradients that are not finite.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "trainers/options.h"

namespace lvtext {

/// The steps that were skipped of late.
class SkipBudget {
 public:
  explicit SkipBudget(const NonFiniteOptions& options) : options_(options) {}
  /// Notes a skipped step. False if that is one too many, or if nothing may be skipped at all.
  bool spend(int64_t step);
  int64_t total() const { return total_; }
  /// The steps that still count, and the total, for checkpoints.
  std::vector<int64_t> recent() const { return {recent_.begin(), recent_.end()}; }
  void restore(const std::vector<int64_t>& recent, int64_t total);

 private:
  NonFiniteOptions options_;
  std::deque<int64_t> recent_;
  int64_t total_ = 0;
};

}  // namespace lvtext
