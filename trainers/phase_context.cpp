#include "trainers/phase_context.h"

#include <stdexcept>

#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

int64_t StepMemory::version(const std::string& group) const {
  const auto found = versions_.find(group);
  return found == versions_.end() ? 0 : found->second;
}

bool StepMemory::holds_graphs() const {
  for (const auto& [name, entry] : shared) {
    if (entry.value.defined() && entry.value.requires_grad()) return true;
  }
  return false;
}

PhaseContext::PhaseContext(const StepPosition& position, const Layout& layout,
                           const TrainerState& state, const at::Device& device, StepMemory& memory,
                           Log log)
    : position_(position),
      layout_(layout),
      state_(state),
      device_(device),
      memory_(memory),
      log_(std::move(log)) {}

NoiseKey PhaseContext::noise(std::string_view use) const {
  const auto run = static_cast<uint32_t>(position_.phase_run);
  return {position_.seed, position_.step, name_.value_or(run), noise_use(use)};
}

at::Tensor PhaseContext::value(const Schedule& schedule) const {
  return at::full({}, schedule(state_), at::TensorOptions(device_).dtype(at::kFloat));
}

at::Tensor PhaseContext::compute_shared(const std::string& name, bool again,
                                        const std::function<at::Tensor()>& compute) {
  const auto outer_input = name_;
  const bool outer_again = again_;
  // Noise streams: the upper half of the range is for shared values, the lower half for phase runs.
  // The noise of a recomputation must not depend on the phase that triggers it.
  name_ = noise_use(name) | 0x80000000u;
  again_ = again_ || again;
  at::Tensor value = compute();
  name_ = outer_input;
  again_ = outer_again;
  return value;
}

at::Tensor PhaseContext::shared(const std::string& name, const std::vector<std::string>& reads,
                                const std::function<at::Tensor()>& compute) {
  for (const auto& group : reads) {
    LVT_ASSERT(layout_.has_group(group), "'" + name + "' reads the unknown group '" + group + "'");
  }
  const auto found = memory_.shared.find(name);
  if (found == memory_.shared.end()) {
    StepMemory::Shared first{compute_shared(name, false, compute), {}, position_.phase_run};
    for (const auto& group : reads) first.versions[group] = memory_.version(group);
    at::Tensor value = first.value;
    if (position_.micros > 1) first.value = at::Tensor();
    memory_.shared.emplace(name, std::move(first));
    return value;
  }
  for (const auto& [group, version] : found->second.versions) {
    if (memory_.version(group) != version) {
      throw std::logic_error("the shared value '" + name + "' was computed before group '" + group +
                             "' was updated; compute it under another name, or store() it");
    }
  }
  if (found->second.value.defined()) return found->second.value;
  return compute_shared(name, position_.phase_run != found->second.phase_run, compute);
}

void PhaseContext::store(const std::string& name, const at::Tensor& value) {
  auto& parts = memory_.stored[name];
  parts.resize(static_cast<size_t>(position_.micros));
  parts[static_cast<size_t>(position_.micro)] = value.detach();
}

at::Tensor PhaseContext::load(const std::string& name) const {
  const auto found = memory_.stored.find(name);
  const auto micro = static_cast<size_t>(position_.micro);
  const bool there = found != memory_.stored.end() &&
                     found->second.size() == static_cast<size_t>(position_.micros) &&
                     found->second[micro].defined();
  LVT_ASSERT(there,
             "no earlier phase of this step stored '" + name + "' for this part of the batch");
  return found->second[micro];
}

at::Tensor PhaseContext::term_mean(const std::string& term) const {
  const auto found = memory_.term_means.find(term);
  LVT_ASSERT(found != memory_.term_means.end(),
             "no earlier phase of this step computed the term '" + term + "'");
  return found->second;
}

at::Tensor PhaseContext::gradient_hook(const at::Tensor& z,
                                       const std::function<at::Tensor(const at::Tensor&)>& change) {
  if (!z.requires_grad() || !at::GradMode::is_enabled()) return z;
  // Hook an alias, so that other uses of z are unaffected.
  at::Tensor tapped = z.view_as(z);
  tapped.register_hook([change](const at::Tensor& gradient) { return change(gradient); });
  return tapped;
}

void PhaseContext::log(const std::string& name, const at::Tensor& value) {
  log_(name, value);
}

BatchNormMode PhaseContext::batch_norm() const {
  if (!position_.training) return BatchNormMode::kRunning;
  return again_ ? BatchNormMode::kBatchOnly : BatchNormMode::kUpdate;
}

}  // namespace lvtext
