// What happens on losses and gradients that are not finite.
#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/model/trainable.h"
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

using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// What a phase saw that gave such a number: its terms, the gradient norms of its parameters and
/// the ids of its examples; "first_bad" names the first one in words. For the person who looks for
/// the cause.
nlohmann::ordered_json nonfinite_evidence(int64_t step, const Phase& phase,
                                          const NamedNumbers& terms, const NamedNumbers& norms,
                                          const Batches& batches);

}  // namespace lvtext
