// Handling of non-finite losses and gradients: skip budget and diagnostics.
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

/// Counts recently skipped steps against `nonfinite.budget`.
class SkipBudget {
 public:
  explicit SkipBudget(const NonFiniteOptions& options) : options_(options) {}
  /// Records a skipped step. Returns false if the budget is exceeded or skipping is not allowed.
  bool try_spend(int64_t step);
  int64_t total() const { return total_; }
  /// The part of a checkpoint's state.json: "skipped" (steps within the window), "skipped_total".
  nlohmann::json save() const;
  void load(const nlohmann::json& saved);

 private:
  NonFiniteOptions options_;
  std::deque<int64_t> recent_;  ///< skipped steps within the window
  int64_t total_ = 0;
};

using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// Diagnostics of a phase with a non-finite loss or gradient: its terms, the gradient norms of its
/// parameters and the ids of its examples; "first_bad" describes the first non-finite value.
nlohmann::ordered_json nonfinite_diagnostics(int64_t step, const Phase& phase,
                                             const NamedNumbers& terms, const NamedNumbers& norms,
                                             const Batches& batches);

}  // namespace lvtext
