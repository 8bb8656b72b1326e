#include "trainers/stops/metric_bound.h"

namespace lvtext {
namespace {

/// Holds if a mean of the latest validation is above `value`; false for NaN.
struct MetricAboveStop : MetricBound {
  bool holds(const StopState& state) const override {
    const auto mean = state.metric(name);
    return mean && *mean > value;
  }
};

}  // namespace

void add_metric_above(Choices<StopCondition>& conditions) {
  add_component<MetricAboveStop>(conditions, "metric_above",
                                 "stops when a term of the latest validation is above `value`");
}

}  // namespace lvtext
