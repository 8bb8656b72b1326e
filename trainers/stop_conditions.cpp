// The conditions of `stop_when`.
#include <optional>
#include <string>

#include "trainers/learning_rate.h"
#include "trainers/stop_condition.h"

namespace lvtext {
namespace {

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

/// Holds if all learning rates of the next update are below `value`; never during a warm-up.
struct LrBelowStop : StopCondition {
  double value = 0;

  bool holds(const StopState& state) const override { return state.lr && *state.lr < value; }

  template <class V>
  void visit(V& v) {
    v.field("value", value, "learning-rate threshold", required(), above(0));
  }
};

/// Holds if a mean of the latest validation is above `value`; false for NaN.
struct MetricAboveStop : MetricBound {
  bool holds(const StopState& state) const override {
    const auto mean = state.metric(name);
    return mean && *mean > value;
  }
};

/// Holds if a mean of the latest validation is below `value`; false for NaN.
struct MetricBelowStop : MetricBound {
  bool holds(const StopState& state) const override {
    const auto mean = state.metric(name);
    return mean && *mean < value;
  }
};

/// Early stopping (Prechelt 1998): holds if the latest `validations` consecutive validations had no
/// objective below all earlier ones.
struct PatienceStop : StopCondition {
  int64_t validations = 1;

  bool holds(const StopState& state) const override {
    return validations_without_gain(state.evaluations) >= validations;
  }
  bool compares_validations() const override { return true; }

  template <class V>
  void visit(V& v) {
    v.field("validations", validations, "number of consecutive validations without improvement",
            required(), at_least(1));
  }
};

}  // namespace

Choices<StopCondition>& StopCondition::components() {
  static auto components = [] {
    Choices<StopCondition> all(kKind);
    add_component<LrBelowStop>(all, "lr_below",
                               "stops when the learning rates of all optimizers are below `value`");
    add_component<MetricAboveStop>(all, "metric_above",
                                   "stops when a term of the latest validation is above `value`");
    add_component<MetricBelowStop>(all, "metric_below",
                                   "stops when a term of the latest validation is below `value`");
    add_component<PatienceStop>(all, "patience", "stops when validations do not improve");
    return all;
  }();
  return components;
}

}  // namespace lvtext
