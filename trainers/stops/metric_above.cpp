#include "trainers/stop_condition.h"

namespace lvtext {
namespace {

/// A mean of the latest validation is above `value`; one that is not a number is not.
struct MetricAboveStop : StopCondition {
  std::string name = "objective";
  double value = 0;

  bool holds(const StopState& state) const override {
    const auto mean = state.metric(name);
    return mean && *mean > value;
  }
  std::optional<std::string> metric() const override { return name; }

  template <class V>
  void visit(V& v) {
    v.field("metric", name, "term of the validation as phase/term, or objective", not_empty());
    v.field("value", value, "bound", required());
  }
};

}  // namespace

void add_metric_above(Choices<StopCondition>& conditions) {
  add_component<MetricAboveStop>(conditions, "metric_above",
                                 "a term of the latest validation is above `value`");
}

}  // namespace lvtext
