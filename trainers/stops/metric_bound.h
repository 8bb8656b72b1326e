// The options that stop conditions on a validated metric share.
#pragma once

#include <optional>
#include <string>

#include "trainers/stop_condition.h"

namespace lvtext {

/// A mean of the latest validation beside a bound.
struct MetricBound : StopCondition {
  std::string name = "objective";
  double value = 0;

  std::optional<std::string> metric() const override { return name; }

  template <class V>
  void visit(V& v) {
    v.field("metric", name, "term of the validation as phase/term, or objective", not_empty());
    v.field("value", value, "bound", required());
  }
};

}  // namespace lvtext
