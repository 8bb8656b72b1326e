// Interface between trained models and the trainer. A model declares parameter groups, phases and
// the denominators of its loss terms; the trainer owns optimizers, precision, accumulation,
// clipping, schedules, checkpoints and logging.
//
//   class Autoencoder : public Trainable {
//     std::vector<ParamGroup> groups() override {
//       return {group("encoder", {encoder_, to_latent_}), ...};
//     }
//     std::vector<Phase> phases() const override {
//       return {{.name = "autoencoder",
//                .updates = {{"default", {"encoder", "decoder"}}},
//                .draws = {{"train", Draw::kNext}},
//                .terms = {{.name = "rec", .denominator = Denominator::kExamples}}}};
//     }
//     Sums losses(const Phase&, const Batches&, StepContext&) override;
//   };
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/model/batch.h"
#include "framework/core/model/model.h"
#include "framework/core/model/schedule.h"
#include "framework/core/model/step_context.h"
#include "framework/core/model/stream_decl.h"

namespace lvtext {

/// Denominator of a loss term, counted over all micro-batches and ranks before any forward pass.
enum class Denominator {
  kExamples,     ///< examples: sentences, images
  kTokens,       ///< tokens of the field, without EOS
  kTargets,      ///< tokens of the field, with one EOS per example
  kTransitions,  ///< tokens of the field that follow another one of the example
  kElements,     ///< elements of the field's tensor
  kOnce,         ///< 1, for terms that are not averaged (penalties)
};

/// One loss term of a phase.
struct LossTerm {
  std::string name;  ///< "rec", "kl", "adv"
  Denominator denominator = Denominator::kExamples;
  std::string field = "text";   ///< field that is counted for the denominator
  size_t draw = 0;              ///< index of the phase's draw whose batch is counted
  TermWeight weight = 1;        ///< a number or a schedule
  double select_weight = 1;     ///< weight in the validation objective; 0 excludes the term
  bool micro_batchable = true;  ///< false: a batch statistic, rejected under accumulation
  std::string reason = {};      ///< why it is not micro-batchable
};

/// The parameter groups that one optimizer updates in a phase.
struct Update {
  std::string optimizer;  ///< name in `train.optimizers`; state is keyed (optimizer, parameter)
  std::vector<std::string> groups;
};

/// A batch that a phase reads: the next one of a stream, or the one already read in this step.
struct Draw {
  enum What { kNext, kSame };
  std::string stream = "train";
  What what = kNext;
};

enum class PhasePrecision { kInherit, kFp32 };

/// One kind of update: the batches that it draws, the loss terms of one backward pass, and the
/// groups that each optimizer updates with its gradients.
struct Phase {
  std::string name;  ///< "autoencoder", "critic": unique in the model; prefix of logged values
  std::vector<Update> updates;  ///< optimizers that use the gradients of one backward pass
  std::vector<Draw> draws;
  std::vector<LossTerm> terms;
  PhasePrecision precision = PhasePrecision::kInherit;
  /// Whether validation computes the terms; false for phases whose validation is expensive
  /// (generation). Their terms are not part of the validation objective.
  bool validated = true;
};

/// A projection of parameters before or after their update.
struct Constraint {
  enum Kind { kNone, kClamp, kRowNorm };
  enum When { kAfter, kBefore };
  Kind kind = kNone;
  double bound = 0;  ///< kClamp: |w| <= bound; kRowNorm: L2 norm of rows <= bound
  When when = kAfter;
};

/// Parameters that are always updated together.
struct ParamGroup {
  std::string name;                                        ///< "encoder", "decoder"
  std::vector<std::pair<std::string, at::Tensor>> params;  ///< with their names in checkpoints
  Constraint project = {};
  bool decays = true;  ///< false: no weight decay (biases, normalization scales)
};

/// One sum per LossTerm of the phase, before division: 0-dim tensors with autograd graph.
using Sums = std::vector<at::Tensor>;
/// One batch per Draw of the phase.
using Batches = std::vector<Batch>;
/// Names of phases in the order of one step.
using StepPlan = std::vector<std::string>;
/// Means over a logging period: loss terms and logged values under "phase/name".
using TrainingMeans = std::map<std::string, double>;

/// Training-health warning: the observed value and the option to change.
struct Warning {
  std::string id;  ///< "posterior_collapse"
  std::string text;
};

/// A model that the trainer can train. In each step the trainer calls plan(), then for each planned
/// phase active() and, for each micro-batch, losses() and a backward pass, and then updates the
/// groups. It validates with the same losses(), without gradients. A resumed run gives the results
/// of an uninterrupted one only if all state is in registered parameters and buffers and all noise
/// is keyed by StepContext::noise().
class Trainable : public Model {
 public:
  /// Disjoint groups that together contain every parameter.
  virtual std::vector<ParamGroup> groups() = 0;
  /// The phases; must not change during a run.
  virtual std::vector<Phase> phases() const = 0;
  /// The phases of the next step; by default each phase once. `key` is for random plans: its draws
  /// depend on (seed, step) alone.
  virtual StepPlan plan(const TrainerState& state, const NoiseKey& key) const;
  /// The streams that the phases draw from.
  virtual std::vector<StreamDecl> streams() const { return {{}}; }
  /// Sums of the phase's terms, before division. In validation, training() is false.
  virtual Sums losses(const Phase& phase, const Batches& batches, StepContext& context) = 0;
  /// Whether a planned phase runs. May synchronize with the host.
  virtual bool active(const Phase& phase, StepContext& context);
  /// Modules that the model uses but does not train (a first stage, a frozen language model, a
  /// table of features). They must not be registered in the model, so that no group or checkpoint
  /// contains them. The trainer moves them to its device and sets them to evaluation mode.
  virtual std::vector<std::shared_ptr<torch::nn::Module>> frozen() const { return {}; }
  /// Name of the model's own stop condition ("plateau") if it is met: a function of progress alone,
  /// checked in addition to the stop conditions of the options.
  virtual std::optional<std::string> stop_reason(const TrainerState&) const { return std::nullopt; }
  /// Training-health warnings for these means; usually none.
  virtual std::vector<Warning> warnings(const TrainingMeans&) const { return {}; }
  /// Why micro-batches would change the result (batch normalization); empty if they do not.
  virtual std::string micro_batch_problem() const { return {}; }
  /// Smallest valid `batch.size`: two where batch normalization needs a variance. The last batch
  /// of an epoch may be smaller.
  virtual int64_t min_batch_size() const { return 1; }

 protected:
  /// Makes a group of all parameters of `modules`. Each module must be registered in this model by
  /// register_module(), or null (disabled by the options).
  ParamGroup group(const std::string& name,
                   const std::vector<std::shared_ptr<torch::nn::Module>>& modules) const;
};

}  // namespace lvtext
