#include "framework/model/trainable.h"

namespace lvtext {

StepPlan Trainable::plan(const Progress&, const NoiseKey&) const {
  StepPlan plan;
  for (const auto& phase : phases()) plan.push_back(phase.name);
  return plan;
}

bool Trainable::active(const Phase&, StepContext&) {
  return true;
}

ParamGroup Trainable::group(const std::string& name, torch::nn::Module& module,
                            const std::string& prefix) {
  ParamGroup result{.name = name, .params = {}};
  for (const auto& item : module.named_parameters()) {
    result.params.emplace_back(prefix + "." + item.key(), item.value());
  }
  return result;
}

}  // namespace lvtext
