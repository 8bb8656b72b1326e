// Training in memory within other work, such as the probes of an evaluator.
#pragma once

#include <memory>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/train_result.h"
#include "framework/core/model/trainable.h"
#include "trainers/host.h"
#include "trainers/options.h"

namespace lvtext {

/// Trains like Trainer, with gradients enabled even if the caller disabled them, and writes no
/// files; a killed training starts from scratch. Throws the same errors as Trainer.
MemoryTraining train_in_memory(std::shared_ptr<Trainable> model, const TrainOptions& options,
                               const DataLoaders& train, const DataLoaders& validation,
                               ProgressCallback progress = {});

}  // namespace lvtext
