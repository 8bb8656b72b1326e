#include "trainers/stop_condition.h"

namespace lvtext {

std::optional<double> StopState::metric(const std::string& name) const {
  if (evaluations.empty()) return std::nullopt;
  const Evaluation& latest = evaluations.back();
  if (name == "objective") return latest.objective;
  const auto found = latest.terms.find(name);
  return found == latest.terms.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace lvtext
