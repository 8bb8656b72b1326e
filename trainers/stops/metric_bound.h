// Shared options of stop conditions on a validation metric.
#pragma once

#include <optional>
#include <string>

#include "trainers/stop_condition.h"

namespace lvtext {

/// Compares a mean of the latest validation with a threshold.
struct MetricBound : StopCondition {
  std::string name = "objective";
  double value = 0;

  std::optional<std::string> metric() const override { return name; }

  template <class V>
  void visit(V& v) {
    v.field("metric", name, "validation metric: phase/term, or objective", not_empty());
    v.field("value", value, "threshold", required());
  }
};

}  // namespace lvtext
