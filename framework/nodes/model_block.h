// A block of a recipe that names a model for a purpose: what encodes for a metric, what scores.
#pragma once

#include <functional>
#include <string>

#include "framework/model/registries.h"
#include "framework/options/errors.h"
#include "framework/options/node.h"

namespace lvtext {

/// What such a block asks of its model.
struct ModelPurpose {
  std::function<bool(const ModelEntry&)> fits;
  std::string misfit;  ///< "does not embed sentences": said of a model that does not fit
};

/// What such a model's training takes from the recipe's `train`: the seed and the device. All else
/// it declares itself, so that no override of `train` changes what scores.
Node shared_train(const Node& recipe);

/// Checks the model that `block` names or takes by default, and its own options; every mistake goes
/// to the errors.
void check_model_block(const Node& block, const std::string& model, const Node& own,
                       const ModelPurpose& purpose, const Registries& registries, Errors& errors,
                       const std::string& path);

/// Checks that the model can be built of its `own` options and trained as `train` says, without
/// memory for its parameters: widths that do not fit, optimizers that it lacks, batches that are
/// too small. Every mistake goes to the errors, at the option's line or else at `mark`. Options
/// that are wrong by themselves are left to their own checks.
void check_training(const ModelEntry& entry, const Node& own, const Node& train, const Mark& mark,
                    Errors& errors);

}  // namespace lvtext
