#include "trainers/memory_training.h"

#include <utility>

#include "framework/core/tensor/torch.h"
#include "trainers/trainer.h"

namespace lvtext {

MemoryTraining train_in_memory(std::shared_ptr<Trainable> model, const TrainOptions& options,
                               const DataLoaders& train, const DataLoaders& validation,
                               ProgressCallback progress) {
  const at::AutoGradMode with_gradients(true);
  MemoryHost host(std::move(progress));
  Trainer trainer(std::move(model), options, train, validation, host);
  MemoryTraining training{.result = trainer.train(), .evaluations = {}, .kept_checkpoints = {}};
  training.evaluations = trainer.state().evaluations;
  for (const int64_t step : training.result.kept_checkpoints.value_or(std::vector<int64_t>{})) {
    training.kept_checkpoints[step] = host.load_weights("snapshots", step);
  }
  return training;
}

}  // namespace lvtext
