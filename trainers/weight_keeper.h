// The weights that a run evaluates, saves and averages besides its trained weights.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/trainer_state.h"
#include "trainers/host.h"
#include "trainers/layout.h"
#include "trainers/optimizer.h"
#include "trainers/options.h"
#include "trainers/weights.h"

namespace lvtext {

/// Maintains the EMA, the weights of the best validation and of keep.checkpoints ("snapshots" of
/// the host), and those of the validations that `average` combines ("average" of the host).
class WeightKeeper {
 public:
  /// All arguments are referenced and must outlive the keeper.
  WeightKeeper(Trainable& model, const Layout& layout, const TrainOptions& options,
               const std::map<std::string, Optimizer>& optimizers, Host& host);

  /// Updates the EMA after a step.
  void update_ema();
  /// EMA by parameter name; empty: off.
  const TensorMap& ema() const { return ema_; }
  TensorMap& ema() { return ema_; }
  /// Averages over steps that replace the trained weights for evaluation and selection, by
  /// parameter name: the EMA, or the averages of the optimizers; may be empty.
  TensorMap averaged_weights() const;

  /// Saves the averaged weights of a step that keep.checkpoints requests.
  void keep_checkpoint(int64_t step);
  /// Saves the model's weights at a validation if they are the best or are to be averaged.
  void keep_validated(int64_t step, bool is_best);
  /// True if final weights are averages over validations.
  bool averages_validations() const { return !averaged_.empty(); }
  /// Copies the averages requested by the options into the model.
  void apply_averages();

  /// Removes the saved weights that neither this checkpoint nor the previous one needs (the newest
  /// one may turn out to be damaged).
  void remove_unneeded(const std::vector<Evaluation>& evaluations);
  /// Saves the model's weights as those of the last step, loads those of `selected`, and removes
  /// all others that are neither kept nor the best.
  void finish(const std::vector<Evaluation>& evaluations, int64_t last, int64_t selected);
  /// Steps kept by keep.checkpoints; none if the option was not set from the start.
  std::optional<std::vector<int64_t>> kept_checkpoints() const;

  /// The part of a checkpoint's state.json: "kept", "kept_every", "averaged".
  nlohmann::json save() const;
  void load(const nlohmann::json& saved, const std::vector<Evaluation>& evaluations);

 private:
  std::vector<int64_t> needed(const std::vector<Evaluation>& evaluations) const;
  /// options.keep.checkpoints as text; empty: unset.
  std::string kept_every() const;

  Trainable& model_;
  const Layout& layout_;
  const TrainOptions& options_;
  const std::map<std::string, Optimizer>& optimizers_;
  Host& host_;
  TensorMap ema_;
  std::vector<int64_t> kept_;           ///< steps of kept checkpoints
  bool all_kept_ = true;                ///< since step 0
  std::vector<int64_t> averaged_;       ///< steps of the validations to average
  std::vector<int64_t> needed_before_;  ///< steps of weights that the previous checkpoint needs
};

}  // namespace lvtext
