// The `train:` block of a recipe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"
#include "framework/core/options/precision.h"
#include "trainers/lr_schedule.h"
#include "trainers/stop_condition.h"
#include "trainers/trigger.h"

namespace lvtext {

enum class OptimizerType { kAdam, kAdamW, kSgd, kRmsprop, kAsgd };
const std::vector<EnumName<OptimizerType>>& enum_names(OptimizerType);

/// Variants of AdamW (formulas in trainers/optimizer.h).
enum class AdamwForm { kTorch, kTransformers };
const std::vector<EnumName<AdamwForm>>& enum_names(AdamwForm);

enum class NonFinite { kHalt, kSkip };
const std::vector<EnumName<NonFinite>>& enum_names(NonFinite);

enum class SelectWeights { kBest, kLast };
const std::vector<EnumName<SelectWeights>>& enum_names(SelectWeights);

/// When kept weights may be removed.
enum class KeepUntil { kScored };
const std::vector<EnumName<KeepUntil>>& enum_names(KeepUntil);

/// Options of one optimizer. Defaults are PyTorch's, where lr and weight_decay depend on the type;
/// gradients are not clipped.
struct OptimizerOptions {
  OptimizerType type = OptimizerType::kAdam;
  Defaulted<AdamwForm> form;
  Defaulted<double> lr;
  std::vector<double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double momentum = 0;
  double alpha = 0.99;
  double lambda = 1e-4;
  double power = 0.75;
  NumberOr<Trigger> t0 = 1e6;
  Defaulted<double> weight_decay;
  double clip_norm = 0;
  Choice<LrSchedule> schedule{"constant"};

  /// `lr`, or the default of the type.
  double rate() const { return lr.value_or(usual_rate()); }
  /// `weight_decay`, or the default of the type.
  double decay() const { return weight_decay.value_or(usual_decay()); }

  template <class V>
  void visit(V& v) {
    v.field("type", type, "update rule");
    form.usual.reset();
    if (type == OptimizerType::kAdamW) form.usual = AdamwForm::kTorch;
    lr.usual = usual_rate();
    weight_decay.usual = usual_decay();
    v.field("form", form, "adamw: variant of the update formula; unset: torch");
    v.field("lr", lr, "learning rate; unset: 1e-2 for rmsprop and asgd, 1e-3 for the others",
            at_least(0));
    v.field("betas", betas, "adam, adamw: decay rates of the two moment estimates", at_least(0),
            below(1));
    v.field("eps", eps, "adam, adamw, rmsprop: constant added to the denominator", at_least(0));
    v.field("momentum", momentum, "sgd, rmsprop: momentum", at_least(0), below(1));
    v.field("alpha", alpha, "rmsprop: decay rate of the mean squared gradient", at_least(0),
            below(1));
    v.field("lambda", lambda, "asgd: decay term", at_least(0));
    v.field("power", power, "asgd: exponent of the learning-rate decay", at_least(0));
    v.field("t0", t0, "asgd: update at which averaging starts, or a trigger that starts it",
            at_least(0));
    v.field("weight_decay", weight_decay,
            "weight decay; adamw: decoupled, others: added to the gradient; unset: 1e-2 for adamw, "
            "0 for the others",
            at_least(0));
    v.field("clip_norm", clip_norm, "maximum norm of the gradient of an update; 0: no clipping",
            at_least(0));
    v.field("schedule", schedule, "learning-rate schedule");
    v.check(betas.size() == 2, "betas must be two numbers, such as [0.9, 0.999]");
    v.check(!form || type == OptimizerType::kAdamW, "form is supported by adamw only");
  }

 private:
  double usual_rate() const {
    return type == OptimizerType::kRmsprop || type == OptimizerType::kAsgd ? 1e-2 : 1e-3;
  }
  double usual_decay() const { return type == OptimizerType::kAdamW ? 1e-2 : 0; }
};

/// Limits on the size of a batch and of a forward pass.
struct TrainBatchOptions {
  int64_t size = 256;
  int64_t max_tokens = 0;
  int64_t micro_size = 0;
  std::optional<bool> fixed;
  Defaulted<bool> drop_last;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "maximum number of examples; 0: no limit", at_least(0));
    v.field("max_tokens", max_tokens,
            "maximum number of padded tokens, with one EOS per sentence; 0: no limit", at_least(0));
    v.field("micro_size", micro_size,
            "maximum number of examples per forward pass, whose gradients are accumulated; 0: the "
            "whole batch",
            at_least(0));
    v.field("fixed", fixed,
            "compose the batches once, of sentences sorted by length, and read them in the same "
            "random order in every epoch; unset or false: compose them anew in every epoch");
    drop_last.usual = false;
    v.field("drop_last", drop_last,
            "leave out the last batch of an epoch, and of the validation data, if it has fewer "
            "than `size` examples");
    v.check(size > 0 || max_tokens > 0, "a batch needs a limit: size, max_tokens or both");
    v.check(!drop_last.value_or(false) || (size > 0 && max_tokens == 0),
            "drop_last requires batches of `size` examples; set max_tokens: 0");
  }
};

/// Retention of checkpoints to resume from, and of weights.
struct KeepOptions {
  int64_t last = 2;
  int64_t every = 0;
  std::optional<Period> checkpoints;
  std::optional<KeepUntil> until;

  template <class V>
  void visit(V& v) {
    v.field("last", last,
            "number of newest checkpoints to keep for resuming; at least 2, as the newest may be "
            "damaged",
            at_least(2));
    v.field("every", every,
            "also keep the checkpoints at multiples of this number of updates; 0: none",
            at_least(0));
    v.field("checkpoints", checkpoints,
            "interval at which weights are kept for later inference, evaluation and selection; "
            "unset: none are kept",
            above(0));
    v.field("until", until, "when `lvtext runs gc` may remove these weights; unset: never");
    v.check(checkpoints || !until, "until requires checkpoints");
  }
};

/// Handling of non-finite losses and gradients, which are never applied to the parameters.
struct NonFiniteOptions {
  NonFinite policy = NonFinite::kHalt;
  int64_t budget = 10;
  int64_t window = 1000;

  template <class V>
  void visit(V& v) {
    v.field("policy", policy, "action on a non-finite loss or gradient");
    v.field("budget", budget,
            "skip: maximum number of skipped steps within `window`; training halts beyond it",
            at_least(0));
    v.field("window", window, "skip: number of updates to which `budget` applies", at_least(1));
  }
};

/// All options of the trainer.
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
    v.field("seed", seed, "seed of parameter initialization, noise and batch order", at_least(0));
    v.field("device", device, "device to train on", one_of({"auto", "cpu", "cuda"}));
    v.field("precision", precision,
            "precision of matrix products; parameters, states, losses and sums stay float32");
    v.field("batch", batch, "limits on the batch size");
    v.field("max_length", max_length,
            "maximum number of tokens of a training sentence; longer sentences are excluded from "
            "training, but not from validation; unset: no limit",
            at_least(1));
    v.field("stop", stop, "length of training; if several are given, the first one reached");
    v.field("stop_when", stop_when,
            "conditions on validations and learning rates that end training before `stop`");
    v.field(
        "schedule_length", schedule_length,
        "number of updates that schedules are written for; they are scaled to the run's length; "
        "unset: not scaled",
        above(0));
    v.field("optimizers", optimizers,
            "options by optimizer name of the model; `default` applies to all others");
    v.field("validate_every", validate_every, "interval between validations", above(0));
    v.field("save_every", save_every, "interval between checkpoints", above(0));
    v.field("keep", keep, "which checkpoints and weights are kept");
    v.field("ema", ema,
            "decay of the exponential moving average of the weights, which is then evaluated and "
            "selected; unset: off",
            above(0), below(1));
    v.field("average", average, "number of last validated weights whose mean is selected; 0: off",
            at_least(0));
    v.field("nonfinite", nonfinite, "handling of non-finite losses and gradients");
    v.field("log_every", log_every, "interval between log lines", above(0));
    v.field("select_checkpoint", select_checkpoint,
            "weights to evaluate: those of the best validation or of the last step");
    v.field("deterministic", deterministic, "CUDA: use deterministic kernels only");
    v.check(!stop.any.empty(), "stop must not be empty; an example is 50e");
    v.check(!schedule_length || schedule_length->unit == Period::Unit::kUpdates,
            "schedule_length must be a number of updates, such as 39000u");
    v.check(
        log_every.unit != Period::Unit::kSeconds && validate_every.unit != Period::Unit::kSeconds &&
            (!keep.checkpoints || keep.checkpoints->unit != Period::Unit::kSeconds),
        "log_every, validate_every and keep.checkpoints must be in updates, epochs or tokens, so "
        "that results do not depend on wall-clock time");
    v.check(!(ema && average > 0), "ema and average are mutually exclusive");
    v.check(!average || select_checkpoint == SelectWeights::kLast,
            "average requires select_checkpoint: last");
  }
};

/// Parses a `train` block. Each named optimizer overrides `optimizers.default` key by key; a
/// component of a different type replaces that of `optimizers.default` entirely. All mistakes are
/// added to `errors`, with keys below `path`.
TrainOptions parse_train_options(const Node& train, Errors& errors, const std::string& path);
/// Same as parse_train_options, but throws ConfigError with all mistakes.
TrainOptions read_train_options(const Node& train);

/// The options of a named optimizer: its own entry, else `default`, else the built-in defaults.
const OptimizerOptions& optim_options(const TrainOptions& options, const std::string& optimizer);

}  // namespace lvtext
