#include "trainers/stops/metric_bound.h"

namespace lvtext {
namespace {

/// A mean of the latest validation is above `value`; one that is not a number is not.
struct MetricAboveStop : MetricBound {
  bool holds(const StopState& state) const override {
    const auto mean = state.metric(name);
    return mean && *mean > value;
  }
};

}  // namespace

void add_metric_above(Choices<StopCondition>& conditions) {
  add_component<MetricAboveStop>(conditions, "metric_above",
                                 "a term of the latest validation is above `value`");
}

}  // namespace lvtext
