// Conditions on the history of a training that end it before its planned length: the family of
// components that `stop_when` lists, one file each in trainers/stops/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/options/choice.h"

namespace lvtext {

/// What stop conditions depend on: all of it follows from a checkpoint.
struct StopState {
  const std::vector<Evaluation>& evaluations;
  /// The largest learning rate of the next update; none during a warm-up.
  std::optional<double> lr;

  /// A mean of the latest validation by "phase/term", or "objective"; none before the first.
  std::optional<double> metric(const std::string& name) const;
};

struct StopCondition {
  static constexpr const char* kKind = "stop condition";
  static Choices<StopCondition>& components();

  StopCondition() = default;
  StopCondition(const StopCondition&) = default;
  StopCondition& operator=(const StopCondition&) = default;
  virtual ~StopCondition() = default;

  virtual bool holds(const StopState& state) const = 0;
  /// True if objectives of validations are compared.
  virtual bool compares_validations() const { return false; }
  /// The metric that it reads, for the check that the model has it.
  virtual std::optional<std::string> metric() const { return std::nullopt; }
};

}  // namespace lvtext
