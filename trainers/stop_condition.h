// Interface of early-stopping conditions, the components of `stop_when`, which
// trainers/stop_conditions.cpp has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/options/choice.h"

namespace lvtext {

/// Input of stop conditions; fully determined by a checkpoint.
struct StopState {
  const std::vector<Evaluation>& evaluations;
  /// The largest learning rate of the next update; none during a warm-up.
  std::optional<double> lr;

  /// A mean of the latest validation by "phase/term", or "objective"; none before the first.
  std::optional<double> metric(const std::string& name) const;
};

/// Ends a training early, in addition to `stop`. The trainer calls holds() before every update, the
/// first one included.
struct StopCondition {
  static constexpr const char* kKind = "stop condition";
  static Choices<StopCondition>& components();

  StopCondition() = default;
  StopCondition(const StopCondition&) = default;
  StopCondition& operator=(const StopCondition&) = default;
  virtual ~StopCondition() = default;

  /// True if the training must end. Must be a pure function of the state and the options, so that a
  /// resumed run stops where an uninterrupted one does.
  virtual bool holds(const StopState& state) const = 0;
  /// True if the condition depends on the objectives of validations.
  virtual bool compares_validations() const { return false; }
  /// The metric that the condition reads, to check that the model has it.
  virtual std::optional<std::string> metric() const { return std::nullopt; }
};

}  // namespace lvtext
