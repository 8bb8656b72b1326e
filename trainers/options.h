// The `train:` block of a recipe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/core/options/precision.h"
#include "trainers/lr_schedule.h"
#include "trainers/stop_condition.h"
#include "trainers/trigger.h"

namespace lvtext {

enum class OptimizerType { kAdam, kAdamW, kSgd, kRmsprop, kAsgd };
const std::vector<EnumName<OptimizerType>>& enum_names(OptimizerType);

/// Which AdamW (formulas in trainers/optimizer.h).
enum class AdamwForm { kTorch, kTransformers };
const std::vector<EnumName<AdamwForm>>& enum_names(AdamwForm);

enum class NonFinite { kHalt, kSkip };
const std::vector<EnumName<NonFinite>>& enum_names(NonFinite);

enum class SelectWeights { kBest, kLast };
const std::vector<EnumName<SelectWeights>>& enum_names(SelectWeights);

/// Until when kept weights stay.
enum class KeepUntil { kScored };
const std::vector<EnumName<KeepUntil>>& enum_names(KeepUntil);

/// One optimizer. Defaults: those of PyTorch, of which none clips; lr and weight_decay depend on
/// the type there.
struct OptimizerOptions {
  OptimizerType type = OptimizerType::kAdam;
  std::optional<AdamwForm> form;
  std::optional<double> lr;
  std::vector<double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double momentum = 0;
  double alpha = 0.99;
  double lambda = 1e-4;
  double power = 0.75;
  NumberOr<Trigger> t0 = 1e6;
  std::optional<double> weight_decay;
  double clip_norm = 0;
  Choice<LrSchedule> schedule{"constant"};

  /// `lr`, or the default of the type.
  double rate() const;
  /// `weight_decay`, or the default of the type.
  double decay() const;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "the update rule");
    v.field("form", form, "adamw: place of eps and of weight decay; unset: torch");
    v.field("lr", lr, "learning rate; unset: 1e-3, of rmsprop and asgd 1e-2", at_least(0));
    v.field("betas", betas, "adam, adamw: decay of the two moments", at_least(0), below(1));
    v.field("eps", eps, "adam, adamw, rmsprop: added to the denominator", at_least(0));
    v.field("momentum", momentum, "sgd, rmsprop: momentum", at_least(0), below(1));
    v.field("alpha", alpha, "rmsprop: decay of the squares", at_least(0), below(1));
    v.field("lambda", lambda, "asgd: decay term", at_least(0));
    v.field("power", power, "asgd: power of the rate's decay", at_least(0));
    v.field("t0", t0, "asgd: the update at which averaging starts, or what triggers it",
            at_least(0));
    v.field("weight_decay", weight_decay,
            "adamw: decoupled; others: added to the gradient; unset: 0, of adamw 1e-2",
            at_least(0));
    v.field("clip_norm", clip_norm, "largest norm of an update's gradient; 0: no clipping",
            at_least(0));
    v.field("schedule", schedule, "the learning rate over the run");
    v.check(betas.size() == 2, "betas are two numbers, such as [0.9, 0.999]");
    v.check(!form || type == OptimizerType::kAdamW, "form is an option of adamw alone");
  }
};

/// Limits on a batch, and on how much of it is computed at once.
struct TrainBatchOptions {
  int64_t size = 256;
  int64_t max_tokens = 0;
  int64_t micro_size = 0;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "maximum number of examples; 0: no limit", at_least(0));
    v.field("max_tokens", max_tokens,
            "maximum number of padded tokens, with one EOS per sentence; 0: no limit", at_least(0));
    v.field("micro_size", micro_size,
            "maximum number of examples per forward pass, whose gradients are accumulated; 0: the "
            "whole batch",
            at_least(0));
    v.check(size > 0 || max_tokens > 0, "a batch needs a limit: size, max_tokens or both");
  }
};

/// Which states to resume from stay, and which weights are kept beside them.
struct KeepOptions {
  int64_t last = 2;
  int64_t every = 0;
  std::optional<Period> checkpoints;
  std::optional<KeepUntil> until;

  template <class V>
  void visit(V& v) {
    v.field("last", last, "newest states to resume from; two, since the newest may be damaged",
            at_least(2));
    v.field("every", every, "also each such state at a multiple of this many updates; 0: none",
            at_least(0));
    v.field("checkpoints", checkpoints,
            "how often weights are kept, to be read, scored and chosen among later; unset: never",
            above(0));
    v.field("until", until, "when `lvtext runs gc` may remove these weights; unset: never");
    v.check(checkpoints || !until, "until belongs to checkpoints");
  }
};

/// What happens on a loss or gradient that is not finite. It never reaches the parameters.
struct NonFiniteOptions {
  NonFinite policy = NonFinite::kHalt;
  int64_t budget = 10;
  int64_t window = 1000;

  template <class V>
  void visit(V& v) {
    v.field("policy", policy, "halt, or skip the rest of the step");
    v.field("budget", budget, "skip: more than this many skipped steps within `window` halt",
            at_least(0));
    v.field("window", window, "skip: updates over which the budget counts", at_least(1));
  }
};

/// Everything the trainer is told.
struct TrainOptions {
  int64_t seed = 1111;
  std::string device = "auto";
  Precision precision = Precision::kFp32;
  TrainBatchOptions batch;
  std::optional<int64_t> max_length;
  StopRule stop{{Period::epochs(50)}};
  std::optional<Period> schedule_length;
  std::map<std::string, OptimizerOptions> optimizers;
  Period validate_every = Period::epochs(1);
  std::vector<Choice<StopCondition>> stop_when;
  Period save_every = Period::seconds(600);
  KeepOptions keep;
  std::optional<double> ema;
  int64_t average = 0;
  NonFiniteOptions nonfinite;
  Period log_every = Period::updates(100);
  SelectWeights select_checkpoint = SelectWeights::kBest;
  bool deterministic = false;

  template <class V>
  void visit(V& v) {
    v.field("seed", seed, "of parameters, noise and batch order", at_least(0));
    v.field("device", device, "where to compute", one_of({"auto", "cpu", "cuda"}));
    v.field("precision", precision,
            "of matrix products; parameters, states, losses and sums are float32 always");
    v.field("batch", batch, "limits on a batch");
    v.field(
        "max_length", max_length,
        "maximum number of tokens of a training sentence; longer ones are left out of training, "
        "not of validation; unset: no limit",
        at_least(1));
    v.field("stop", stop, "length of training; of several the first reached counts");
    v.field("stop_when", stop_when,
            "conditions on validations and learning rates that end training before `stop`");
    v.field(
        "schedule_length", schedule_length,
        "number of updates that schedules are written for; they are scaled to the run's length; unset: not scaled",
        above(0));
    v.field("optimizers", optimizers,
            "options by the model's optimizer names; `default` applies to all others");
    v.field("validate_every", validate_every, "time between validations", above(0));
    v.field("save_every", save_every, "time between checkpoints", above(0));
    v.field("keep", keep, "which checkpoints and weights stay");
    v.field("ema", ema, "decay of the moving average of weights that is evaluated and selected",
            above(0), below(1));
    v.field("average", average, "select the mean of this many last validated weights; 0: off",
            at_least(0));
    v.field("nonfinite", nonfinite, "losses and gradients that are not finite");
    v.field("log_every", log_every, "time between lines of the log", above(0));
    v.field("select_checkpoint", select_checkpoint,
            "weights that are evaluated: of the best validation, or of the last step");
    v.field("deterministic", deterministic, "CUDA: deterministic kernels only");
    v.check(!stop.any.empty(), "training needs a stop, such as 50e");
    v.check(!schedule_length || schedule_length->unit == Period::Unit::kUpdates,
            "schedule_length is a number of updates, such as 39000u");
    v.check(
        log_every.unit != Period::Unit::kSeconds && validate_every.unit != Period::Unit::kSeconds &&
            (!keep.checkpoints || keep.checkpoints->unit != Period::Unit::kSeconds),
        "log_every, validate_every and keep.checkpoints count updates, epochs or tokens: what they "
        "write must not depend on the clock");
    v.check(!(ema && average > 0), "ema and average exclude each other");
    v.check(!average || select_checkpoint == SelectWeights::kLast,
            "average takes the last weights: set select_checkpoint: last");
  }
};

/// Parses a `train` block. Each named optimizer is laid on `optimizers.default`, key by key; a
/// component of another type replaces that of `optimizers.default` whole. Every mistake goes to the
/// errors, its key named below the path.
TrainOptions parse_train_options(const Node& train, Errors& errors, const std::string& path);
/// The same. Throws ConfigError with all mistakes.
TrainOptions read_train_options(const Node& train);

/// The options of a named optimizer: its own, else `default`, else the defaults.
const OptimizerOptions& optim_options(const TrainOptions& options, const std::string& optimizer);

}  // namespace lvtext
