// The StepContext that the trainer passes to a model for one phase of a step.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/model/step_context.h"
#include "trainers/layout.h"

namespace lvtext {

/// Values shared between the phases of one step; discarded at its end.
class StepMemory {
 public:
  struct Shared {
    at::Tensor value;                         ///< undefined with gradient accumulation
    std::map<std::string, int64_t> versions;  ///< versions of the groups that it reads
    size_t phase_run = 0;                     ///< the first phase run that computed it
  };
  std::map<std::string, Shared> shared;
  std::map<std::string, std::vector<at::Tensor>> stored;  ///< by micro-batch
  std::map<std::string, at::Tensor> term_means;           ///< by "phase/term"

  /// Records that a group's parameters changed.
  void touch(const std::string& group) { ++versions_[group]; }
  int64_t version(const std::string& group) const;
  /// True while a graph may be needed by a later phase.
  bool holds_graphs() const;

 private:
  std::map<std::string, int64_t> versions_;
};

class PhaseContext : public StepContext {
 public:
  /// The forward pass that a context belongs to.
  struct StepPosition {
    bool training = true;
    uint64_t seed = 0;
    uint64_t step = 0;
    size_t phase_run = 0;  ///< within the step
    int64_t micro = 0;
    int64_t micros = 1;
  };
  using Log = std::function<void(const std::string& name, const at::Tensor& value)>;

  PhaseContext(const StepPosition& position, const Layout& layout, const TrainerState& state,
               const at::Device& device, StepMemory& memory, Log log);

  bool training() const override { return position_.training; }
  NoiseKey noise(std::string_view use) const override;
  at::Tensor value(const Schedule& schedule) const override;
  at::Tensor shared(const std::string& name, const std::vector<std::string>& reads,
                    const std::function<at::Tensor()>& compute) override;
  void store(const std::string& name, const at::Tensor& value) override;
  at::Tensor load(const std::string& name) const override;
  at::Tensor term_mean(const std::string& term) const override;
  at::Tensor gradient_hook(const at::Tensor& z,
                           const std::function<at::Tensor(const at::Tensor&)>& change) override;
  void log(const std::string& name, const at::Tensor& value) override;
  BatchNormMode batch_norm() const override;

 private:
  at::Tensor compute_shared(const std::string& name, bool again,
                            const std::function<at::Tensor()>& compute);
  StepPosition position_;
  const Layout& layout_;
  const TrainerState& state_;
  at::Device device_;
  StepMemory& memory_;
  Log log_;
  std::optional<uint32_t> name_;  ///< set inside shared()
  bool again_ = false;            ///< inside shared(): recomputes a value of an earlier phase
};

}  // namespace lvtext
