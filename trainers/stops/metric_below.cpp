#include "trainers/stops/metric_bound.h"

namespace lvtext {
namespace {

/// Holds if a mean of the latest validation is below `value`; false for NaN.
struct MetricBelowStop : MetricBound {
  bool holds(const StopState& state) const override {
    const auto mean = state.metric(name);
    return mean && *mean < value;
  }
};

}  // namespace

void add_metric_below(Choices<StopCondition>& conditions) {
  add_component<MetricBelowStop>(conditions, "metric_below",
                                 "stops when a term of the latest validation is below `value`");
}

}  // namespace lvtext
