#include "trainers/trainer.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/tensor/compute_mode.h"
#include "framework/core/tensor/device.h"
#include "framework/core/tensor/torch.h"
#include "trainers/checkpointer.h"
#include "trainers/periods.h"
#include "trainers/reporter.h"
#include "trainers/run_length.h"
#include "trainers/step.h"
#include "trainers/validation.h"
#include "trainers/weight_keeper.h"

namespace lvtext {
namespace {

using Clock = std::chrono::steady_clock;

/// Keeps freed memory in the process: every step allocates and frees the same hundreds of
/// megabytes, and each page returned to the system costs a page fault on reuse.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the maximum
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

/// Returns the device of `options` and configures the allocator of this process for training.
at::Device prepare_device(const TrainOptions& options) {
  keep_freed_memory();
  return resolve_device(options.device);
}

/// Moves the model and its frozen modules to the device.
Trainable& move_to(Trainable& model, const at::Device& device) {
  model.to(device);
  for (const auto& module : model.frozen()) {
    module->to(device);
    module->eval();
    for (auto& parameter : module->parameters()) parameter.set_requires_grad(false);
  }
  return model;
}

/// Returns `streams`. Throws std::logic_error if a phase draws from a stream that is missing.
DataLoaders checked_streams(DataLoaders streams, const std::vector<Phase>& phases) {
  for (const auto& phase : phases) {
    for (const auto& draw : phase.draws) {
      LVT_ASSERT(streams.contains(draw.stream), "phase '" + phase.name + "' draws from '" +
                                                    draw.stream + "', which was not passed");
    }
  }
  return streams;
}

std::map<std::string, Optimizer> optimizers_of(const Layout& layout, const TrainOptions& options) {
  std::map<std::string, Optimizer> optimizers;
  for (const auto& name : layout.optimizers()) {
    optimizers.emplace(name, Optimizer(name, optim_options(options, name), layout.undecayed()));
  }
  return optimizers;
}

/// Throws ConfigError if options compare validations but no validated phase has an objective.
void check_objective(const std::vector<Phase>& validated, const TrainOptions& options,
                     const std::map<std::string, Optimizer>& optimizers) {
  for (const auto& phase : validated) {
    for (const auto& term : phase.terms) {
      if (term.select_weight != 0) return;
    }
  }
  std::vector<std::string> needs;
  if (options.select_checkpoint == SelectWeights::kBest) {
    needs.push_back("train.select_checkpoint: best");
  }
  for (const auto& condition : options.stop_when) {
    if (condition->compares_validations()) needs.push_back("train.stop_when: " + condition.name());
  }
  for (const auto& [name, optimizer] : optimizers) {
    const auto& schedule = optimizer.options().schedule;
    const std::string key = "train.optimizers." + name;
    if (schedule->compares_validations()) needs.push_back(key + ".schedule: " + schedule.name());
    const auto* trigger = std::get_if<Choice<Trigger>>(&optimizer.options().t0);
    if (trigger && optimizer.options().type == OptimizerType::kAsgd) {
      needs.push_back(key + ".t0: " + trigger->name());
    }
  }
  if (needs.empty()) return;
  throw ConfigError(join(needs, " and ") +
                    ": require a validation objective, which this model does not define; use "
                    "select_checkpoint: last, and remove the other settings");
}

}  // namespace

class Trainer::Impl {
 public:
  Impl(std::shared_ptr<Trainable> model, const TrainOptions& options, DataLoaders streams,
       DataLoaders validation, Host& host);

  TrainResult train(std::optional<int64_t> pause_at);
  void resume();
  void step();
  void save();
  Evaluation validate();
  const TrainerState& state() const { return state_; }

 private:
  void measure_time();
  void log_training();
  Evaluation evaluate();
  void validate_if_due();
  /// The stop rule that is currently satisfied, if any.
  std::optional<std::string> stop_reason();
  void stop_if_requested();
  [[noreturn]] void pause();
  /// All validations, including one of the current weights.
  std::vector<Evaluation> final_evaluations();
  /// Throws Error (1) if the validation of the selected weights is undefined.
  void check_selected(const std::vector<Evaluation>& evaluations, const TrainResult& result) const;
  TrainResult finish(const std::string& reason);

  std::shared_ptr<Trainable> model_;
  TrainOptions options_;
  Host& host_;
  at::Device device_;
  ComputeMode mode_;
  Layout layout_;
  DataLoaders streams_;
  DataLoaders validation_;
  RunLength length_;
  std::string leading_;  ///< leading_stream()
  TrainerState state_;
  TrainerMetrics metrics_;
  std::map<std::string, Optimizer> optimizers_;
  std::map<std::string, BatchPrefetcher> prefetchers_;
  SkipBudget skips_;
  LogMeans means_;
  WeightKeeper weights_;
  Checkpointer checkpoints_;
  Reporter reporter_;
  StepRunner runner_;
  PeriodicEvent log_event_;
  PeriodicEvent validation_event_;
  std::optional<PeriodicEvent> keep_event_;
  double seconds_before_ = 0;  ///< training time before this process
  Clock::time_point started_ = Clock::now();
  bool resumed_ = false;   ///< the model has the weights to train on
  bool updating_ = false;  ///< within the phases of a step: the state is inconsistent
};

Trainer::Impl::Impl(std::shared_ptr<Trainable> model, const TrainOptions& options,
                    DataLoaders streams, DataLoaders validation, Host& host)
    : model_(std::move(model)),
      options_(options),
      host_(host),
      device_(prepare_device(options_)),
      mode_(options_.precision == Precision::kTf32, options_.deterministic && device_.is_cuda()),
      // Move to the device first, since that replaces the storage of the parameters.
      layout_(move_to(*model_, device_), options_),
      streams_(checked_streams(std::move(streams), layout_.phases())),
      validation_(std::move(validation)),
      length_(run_length(*model_, options_, streams_)),
      leading_(leading_stream(layout_.phases())),
      optimizers_(optimizers_of(layout_, options_)),
      prefetchers_(start_prefetchers(streams_)),
      skips_(options_.nonfinite),
      weights_(*model_, layout_, options_, optimizers_, host_),
      checkpoints_({*model_, layout_, options_, device_, streams_, optimizers_, prefetchers_,
                    means_, skips_, weights_},
                   host_),
      reporter_(*model_, host_),
      runner_({*model_, layout_, options_, device_, prefetchers_, optimizers_, skips_, means_,
               metrics_, length_,
               [this](const nlohmann::ordered_json& diagnostics) {
                 return host_.save_diagnostics(diagnostics);
               }}),
      log_event_(options_.log_every),
      validation_event_(options_.validate_every) {
  if (options_.keep.checkpoints) keep_event_.emplace(*options_.keep.checkpoints);
  if (options_.schedule_length && length_.planned) {
    state_.schedule_rate = options_.schedule_length->amount / static_cast<double>(*length_.planned);
  }
  metrics_.planned = length_.planned;
  model_tensors(*model_);  // throws on duplicate tensor names, which checkpoints cannot store
  if (!validation_.empty()) {
    check_objective(validated_phases(layout_.phases(), validation_), options_, optimizers_);
  }
}

void Trainer::Impl::measure_time() {
  state_.seconds = seconds_before_ + std::chrono::duration<double>(Clock::now() - started_).count();
}

void Trainer::Impl::resume() {
  started_ = Clock::now();
  checkpoints_.restore(state_);
  seconds_before_ = state_.seconds;
  reporter_.restart(state_);
  log_event_.restart(state_);
  validation_event_.restart(state_);
  if (keep_event_) keep_event_->restart(state_);
  resumed_ = true;
}

void Trainer::Impl::save() {
  measure_time();
  checkpoints_.save(state_);
}

void Trainer::Impl::log_training() {
  reporter_.log_training(state_, metrics_, means_.take(), skips_.total());
}

void Trainer::Impl::step() {
  resumed_ = true;
  updating_ = true;
  {
    const StopDeferral whole_step;  // a model may decode within a phase
    runner_.run(state_);
  }
  updating_ = false;
  ++state_.step;
  state_.epoch = prefetchers_.at(leading_).cursor().epoch;
  state_.passes = prefetchers_.at(leading_).epochs();
  weights_.update_ema();
  measure_time();
  if (log_event_.due(state_)) log_training();
  state_.validation_due = validation_event_.due(state_) && !validation_.empty();
  if (keep_event_ && keep_event_->due(state_)) weights_.keep_checkpoint(state_.step);
  const bool is_save_due = checkpoints_.due(state_);
  if (stop_requested()) return;
  validate_if_due();
  if (is_save_due) save();
  measure_time();
  reporter_.show_progress(state_, metrics_);
}

Evaluation Trainer::Impl::evaluate() {
  return validate_model(*model_, layout_, options_, validation_, device_, state_);
}

Evaluation Trainer::Impl::validate() {
  const ScopedWeights averaged(layout_.parameters(), weights_.averaged_weights());
  return evaluate();
}

void Trainer::Impl::validate_if_due() {
  if (!state_.validation_due || validation_.empty()) return;
  const ScopedWeights averaged(layout_.parameters(), weights_.averaged_weights());
  const Evaluation evaluation = evaluate();
  state_.evaluations.push_back(evaluation);
  const bool is_best = best_evaluation(state_.evaluations) == &state_.evaluations.back();
  weights_.keep_validated(state_.step, is_best);
  state_.validation_due = false;
  reporter_.log_validation(state_, evaluation, is_best);
}

std::optional<std::string> Trainer::Impl::stop_reason() {
  measure_time();
  for (const auto& period : options_.stop.any) {
    if (reached(period, state_)) return period.text();
  }
  StopState input{state_.evaluations, std::nullopt};
  bool warming_up = false;
  for (const auto& [name, optimizer] : optimizers_) {
    warming_up = warming_up || is_warming_up(optimizer.options(), state_, length_);
    const double lr = learning_rate(optimizer.options(), state_, length_);
    input.lr = std::max(input.lr.value_or(lr), lr);
  }
  if (warming_up) input.lr.reset();
  for (const auto& condition : options_.stop_when) {
    if (condition->holds(input)) return condition.name();
  }
  return model_->stop_reason(state_);
}

void Trainer::Impl::stop_if_requested() {
  if (!stop_requested()) return;
  measure_time();
  checkpoints_.save_if_new(state_);
  throw_if_stopped();
}

std::vector<Evaluation> Trainer::Impl::final_evaluations() {
  std::vector<Evaluation> evaluations = state_.evaluations;
  const bool is_new = evaluations.empty() || evaluations.back().step != state_.step;
  const bool is_averaged = weights_.averages_validations();
  if (validation_.empty() || (!is_new && !is_averaged)) return evaluations;
  if (!is_new) evaluations.pop_back();  // evaluated the weights before averaging
  evaluations.push_back(evaluate());
  reporter_.log_validation(state_, evaluations.back(),
                           best_evaluation(evaluations) == &evaluations.back());
  return evaluations;
}

void Trainer::Impl::check_selected(const std::vector<Evaluation>& evaluations,
                                   const TrainResult& result) const {
  for (const Evaluation& evaluation : evaluations) {
    if (evaluation.step != result.selected_step || is_defined(evaluation)) continue;
    throw Error(Exit::kSomeFailed,
                "the training diverged: the validation of its weights, those of step " +
                    std::to_string(result.selected_step) + ", is not finite (objective " +
                    format_number(evaluation.objective) + "; " +
                    std::to_string(result.undefined_validations) + " of " +
                    std::to_string(evaluations.size()) + " validations are undefined, and " +
                    std::to_string(result.skipped) + " of " + std::to_string(result.steps) +
                    " steps were skipped); reduce the learning rate or set clip_norm. With "
                    "nonfinite.policy: halt, the training stops at the first step whose loss or "
                    "gradient is not finite and names the term");
  }
}

TrainResult Trainer::Impl::finish(const std::string& reason) {
  // Save before averaging and the last validation, so that a longer run can resume from here.
  measure_time();
  checkpoints_.save_if_new(state_);
  weights_.apply_averages();
  const std::vector<Evaluation> evaluations = final_evaluations();
  TrainResult result;
  result.stopped_by = reason;
  result.steps = result.last_step = result.selected_step = state_.step;
  if (const Evaluation* best = best_evaluation(evaluations)) {
    result.best_step = best->step;
    result.best_objective = best->objective;
    if (options_.select_checkpoint == SelectWeights::kBest) result.selected_step = best->step;
  }
  result.skipped = skips_.total();
  result.undefined_validations = std::count_if(evaluations.begin(), evaluations.end(),
                                               [](const auto& each) { return !is_defined(each); });
  check_selected(evaluations, result);
  weights_.finish(state_.evaluations, result.last_step, result.selected_step);
  result.kept_checkpoints = weights_.kept_checkpoints();
  measure_time();
  result.seconds = state_.seconds;
  reporter_.show_progress(state_, metrics_);
  resumed_ = false;  // the model has the selected weights; training must reload the checkpoint
  return result;
}

void Trainer::Impl::pause() {
  measure_time();
  checkpoints_.save_if_new(state_);
  throw Paused("paused at step " + std::to_string(state_.step));
}

TrainResult Trainer::Impl::train(std::optional<int64_t> pause_at) {
  if (!resumed_) resume();
  try {
    validate_if_due();
    std::optional<std::string> reason;
    while (!(reason = stop_reason())) {
      stop_if_requested();
      if (pause_at && state_.step >= *pause_at) pause();
      step();
    }
    stop_if_requested();
    return finish(*reason);
  } catch (const Interrupted&) {
    // During a validation, the preceding step is complete and can be saved; resuming repeats the
    // validation. During an update, which only a model's own exception stops, the state is
    // inconsistent: keep the previous checkpoint.
    if (!updating_) {
      measure_time();
      checkpoints_.save_if_new(state_);
    }
    throw;
  }
}

Trainer::Trainer(std::shared_ptr<Trainable> model, const TrainOptions& options, DataLoaders streams,
                 DataLoaders validation, Host& host)
    : impl_(std::make_unique<Impl>(std::move(model), options, std::move(streams),
                                   std::move(validation), host)) {}
Trainer::~Trainer() = default;

TrainResult Trainer::train(std::optional<int64_t> pause_at) {
  return impl_->train(pause_at);
}
void Trainer::resume() {
  impl_->resume();
}
void Trainer::step() {
  impl_->step();
}
void Trainer::save() {
  impl_->save();
}
Evaluation Trainer::validate() {
  return impl_->validate();
}
const TrainerState& Trainer::state() const {
  return impl_->state();
}

}  // namespace lvtext
