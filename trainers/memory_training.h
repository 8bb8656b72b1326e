// Trainings within other work, such as the probes of an evaluator.
#pragma once

#include <memory>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/train_result.h"
#include "framework/core/model/trainable.h"
#include "trainers/host.h"
#include "trainers/options.h"

namespace lvtext {

/// Trains as Trainer does, with gradients whatever the caller's mode is, and writes nothing: what
/// was killed starts again. Throws what Trainer throws.
MemoryTraining train_in_memory(std::shared_ptr<Trainable> model, const TrainOptions& options,
                               const DataLoaders& train, const DataLoaders& validation,
                               ProgressCallback progress = {});

}  // namespace lvtext
