// The one interface between what is trained and the one trainer. A model declares parameter groups,
// phases and the denominators of its loss terms; the trainer owns optimisers, precision,
// accumulation, clipping, schedules, checkpoints and logging.
//
//   class Autoencoder : public Trainable {
//     std::vector<ParamGroup> groups() override { return {group("encoder", {encoder_, to_latent_}),
//     ...}; } std::vector<Phase> phases() const override {
//       return {{.name = "autoencoder",
//                .updates = {{"default", {"encoder", "decoder"}}},
//                .draws = {{"train", Draw::kNext}},
//                .terms = {{.name = "rec", .over = Over::kRows, .field = "text"}}}};
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

/// What a term's sum is divided by, counted over all micro-batches and ranks before any forward
/// pass.
enum class Over {
  kRows,      ///< sentences, images
  kTokens,    ///< tokens of the field without end marks
  kTargets,   ///< tokens of the field with one end mark per row
  kElements,  ///< numbers of the field
  kOnce,      ///< 1: the term is a sum already (penalties)
};

/// One loss term of a phase.
struct TermDecl {
  std::string name;  ///< "rec", "kl", "adv"
  Over over = Over::kRows;
  std::string field = "text";  ///< that is counted
  size_t draw = 0;             ///< the phase's draw whose batch is counted, by its place
  TermWeight weight = 1;       ///< a number or a schedule
  double select_weight = 1;    ///< in the validation objective; 0 leaves the term out
  bool splits = true;          ///< false: a batch statistic, refused under accumulation
  std::string why_not = {};    ///< the reason where `splits` is false
};

/// One optimiser's share of a phase: it steps exactly these groups.
struct Update {
  std::string optimizer;  ///< name in `train.optim`; state is keyed (optimizer, parameter)
  std::vector<std::string> groups;
};

/// What a phase draws: the next batch of a stream, or the one that this step has drawn already.
struct Draw {
  enum What { kNext, kSame };
  std::string stream = "train";
  What what = kNext;
};

enum class PhasePrecision { kInherit, kFp32 };

struct Phase {
  std::string name;
  std::vector<Update> updates;  ///< one backward pass, one or more optimisers
  std::vector<Draw> draws;
  std::vector<TermDecl> terms;
  PhasePrecision precision = PhasePrecision::kInherit;
};

/// A rule that parameters obey around their update.
struct Constraint {
  enum Kind { kNone, kClamp, kRowNorm };
  enum When { kAfter, kBefore };
  Kind kind = kNone;
  double bound = 0;  ///< kClamp: |w| <= bound; kRowNorm: L2 norm of rows <= bound
  When when = kAfter;
};

/// The smallest set of parameters that is ever updated alone.
struct ParamGroup {
  std::string name;                                        ///< "encoder", "decoder"
  std::vector<std::pair<std::string, at::Tensor>> params;  ///< by their names in checkpoints
  Constraint project = {};
  bool decays = true;  ///< false: no weight decay (biases, scales of a norm)
};

/// One undivided sum per TermDecl of the phase: 0-dim tensors with graph.
using Sums = std::vector<at::Tensor>;
/// One batch per Draw of the phase.
using Batches = std::vector<Batch>;
/// Names of phases in the order of one step.
using StepPlan = std::vector<std::string>;
/// Means over a logging period: loss terms and logged values under "phase/name".
using TrainingMeans = std::map<std::string, double>;

/// A sign that a training goes wrong, for a person: what is seen, and which option to change.
struct Warning {
  std::string id;  ///< "posterior_collapse"
  std::string text;
};

class Trainable : public Model {
 public:
  /// Disjoint groups that together hold every parameter.
  virtual std::vector<ParamGroup> groups() = 0;
  /// Static: does not change over a run.
  virtual std::vector<Phase> phases() const = 0;
  /// The phases of the next step; each once unless the model says otherwise. `key` serves plans
  /// that choose by lot: its draws depend on (seed, step) alone.
  virtual StepPlan plan(const Progress& progress, const NoiseKey& key) const;
  /// The streams that the phases draw from.
  virtual std::vector<StreamDecl> streams() const { return {{}}; }
  /// The sums of the phase's terms, undivided. Called with training() false for validation.
  virtual Sums losses(const Phase& phase, const Batches& batches, StepContext& context) = 0;
  /// Whether a planned phase runs at all (a host read; eager only).
  virtual bool active(const Phase& phase, StepContext& context);
  /// Modules that the model reads and never trains (the first stage of two, a language model that
  /// judges, a table of features): not among its own, so in no group and no checkpoint of it. The
  /// trainer moves them to its device and evaluates them as trained.
  virtual std::vector<std::shared_ptr<torch::nn::Module>> frozen() const { return {}; }
  /// The name of the model's own rule for the end ("plateau"), once it holds. Like a schedule a
  /// function of progress; the stop rules of the options count besides.
  virtual std::optional<std::string> stop_reason(const Progress&) const { return std::nullopt; }
  /// What is wrong with a training that shows these means; mostly nothing.
  virtual std::vector<Warning> warnings(const TrainingMeans&) const { return {}; }
  /// Why micro-batches give another result than one batch, or empty (batch normalisation ...).
  virtual std::string why_not_split() const { return {}; }
  /// The fewest sentences of a training batch that the model can learn from: two where batch
  /// normalisation needs a variance. The last batch of an epoch may be smaller.
  virtual int64_t fewest_rows() const { return 1; }

 protected:
  /// A group of all parameters of `modules`, each registered in this model by register_module() or
  /// null (a part that the options leave out).
  ParamGroup group(const std::string& name,
                   const std::vector<std::shared_ptr<torch::nn::Module>>& modules) const;
};

}  // namespace lvtext
