#include "framework/core/model/trainable.h"

#include <algorithm>

#include "framework/core/base/error.h"

namespace lvtext {

StepPlan Trainable::plan(const TrainerState&, const NoiseKey&) const {
  StepPlan plan;
  for (const auto& phase : phases()) plan.push_back(phase.name);
  return plan;
}

bool Trainable::active(const Phase&, StepContext&) {
  return true;
}

ParamGroup Trainable::group(const std::string& name,
                            const std::vector<std::shared_ptr<torch::nn::Module>>& modules) const {
  ParamGroup result{.name = name, .params = {}};
  const auto children = named_children();
  for (const auto& module : modules) {
    if (!module) continue;
    const auto child = std::find_if(children.begin(), children.end(),
                                    [&](const auto& each) { return each.value() == module; });
    LVT_ASSERT(child != children.end(), "group '" + name + "' has a module that is not registered");
    for (const auto& item : module->named_parameters()) {
      result.params.emplace_back(child->key() + "." + item.key(), item.value());
    }
  }
  return result;
}

}  // namespace lvtext
