// The mean of every loss term over the validation streams.
#pragma once

#include "framework/core/model/trainable.h"
#include "trainers/layout.h"
#include "trainers/trainer.h"

namespace lvtext {

/// The phases that are validated: those with Phase::validated that draw only from `streams`.
std::vector<Phase> validated_phases(const std::vector<Phase>& phases, const DataLoaders& streams);

/// Runs `losses` with training() false, without gradients, over one pass of the first validated
/// phase's first stream; shorter streams are repeated. The objective is the sum of
/// select_weight x mean. All validations use the same noise. Throws Interrupted between two batches
/// if a stop was requested.
Evaluation validate_model(Trainable& model, const Layout& layout, const TrainOptions& options,
                          const DataLoaders& streams, const at::Device& device,
                          const TrainerState& state);

/// True if the objective is a finite number; without terms in the objective, if one of all terms
/// is.
bool is_defined(const Evaluation& evaluation);

}  // namespace lvtext
