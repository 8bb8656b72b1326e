#include "trainers/trainer.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/tensor/torch.h"
#include "trainers/trainer_impl.h"
#include "trainers/validation.h"

namespace lvtext {

namespace {

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

}  // namespace

Trainer::Impl::Impl(std::shared_ptr<Trainable> model_in, const TrainOptions& options_in,
                    DataLoaders streams_in, DataLoaders validation_in, Host& host_in)
    : model(std::move(model_in)),
      options(options_in),
      streams(std::move(streams_in)),
      validation(std::move(validation_in)),
      host(host_in),
      device(prepare_device(options)),
      mode(options.precision == Precision::kTf32, options.deterministic),
      // Move to the device first, since that replaces the storage of the parameters.
      layout(move_to(*model, device), options),
      length((check_streams(), run_length(*model, options, streams))),
      leading(leading_stream(layout.phases())),
      skips(options.nonfinite) {
  if (options.schedule_length && length.planned) {
    progress.schedule_rate = options.schedule_length->amount / static_cast<double>(*length.planned);
  }
  for (const auto& name : layout.optimizers()) {
    optimizers.emplace(name, Optimizer(name, optim_options(options, name), layout.undecayed()));
  }
  if (options.ema) {
    for (const auto& [name, value] : layout.parameters()) ema[name] = value.detach().clone();
  }
  model_tensors(*model);
  check_objective();
  start_feeders({});
  runner = std::make_unique<StepRunner>(StepParts{
      *model, layout, options, device, feeders, optimizers, skips, means, length,
      [this](const nlohmann::ordered_json& evidence) { return host.save_evidence(evidence); }});
}

void Trainer::Impl::check_streams() const {
  for (const auto& phase : layout.phases()) {
    for (const auto& draw : phase.draws) {
      LVT_ASSERT(streams.contains(draw.stream), "phase '" + phase.name + "' draws from '" +
                                                    draw.stream + "', which was not passed");
    }
  }
}

void Trainer::Impl::check_objective() const {
  if (validation.empty()) return;
  for (const auto& phase : validated_phases(layout.phases(), validation)) {
    for (const auto& term : phase.terms) {
      if (term.select_weight != 0) return;
    }
  }
  std::vector<std::string> needs;
  if (options.select_checkpoint == SelectWeights::kBest)
    needs.push_back("train.select_checkpoint: best");
  for (const auto& condition : options.stop_when) {
    if (condition->compares_validations()) needs.push_back("train.stop_when: " + condition.name());
  }
  for (const auto& [name, optimizer] : optimizers) {
    const auto& schedule = optimizer.options().schedule;
    const std::string place = "train.optimizers." + name;
    if (schedule->compares_validations()) {
      needs.push_back(place + ".schedule: " + schedule.name());
    }
    const auto* trigger = std::get_if<Choice<Trigger>>(&optimizer.options().t0);
    if (trigger && optimizer.options().type == OptimizerType::kAsgd) {
      needs.push_back(place + ".t0: " + trigger->name());
    }
  }
  if (needs.empty()) return;
  throw ConfigError(join(needs, " and ") +
                    ": require a validation objective, which this model does not define; use "
                    "select_checkpoint: last, and remove the other settings");
}

double Trainer::Impl::seconds() const {
  return seconds_before + std::chrono::duration<double>(Clock::now() - started).count();
}

Position Trainer::Impl::position() const {
  return {static_cast<double>(progress.step), feeders.at(leading).epochs(),
          static_cast<double>(progress.tokens), seconds()};
}

void Trainer::Impl::step() {
  resumed = true;
  const Position before = position();
  updating = true;
  runner->run(progress);
  updating = false;
  ++progress.step;
  progress.epoch = feeders.at(leading).cursor().epoch;
  update_ema();
  const Position after = position();
  if (crossed(options.log_every, before, after)) log_training();
  validation_due = crossed(options.validate_every, before, after);
  if (options.keep.checkpoints && crossed(*options.keep.checkpoints, before, after))
    keep_checkpoint();
  if (stop_requested()) return;
  validate_if_due();
  const bool save_due =
      options.save_every.unit == Period::Unit::kSeconds
          ? std::chrono::duration<double>(Clock::now() - saved).count() >= options.save_every.amount
          : crossed(options.save_every, before, after);
  if (save_due) save();
  report_progress();
}

Evaluation Trainer::Impl::evaluate() {
  return validate_model(*model, layout, options, validation, device, progress);
}

void Trainer::Impl::validate_if_due() {
  if (!validation_due || validation.empty()) return;
  const BorrowedWeights borrowed(layout.parameters(), averaged_weights());
  const Evaluation evaluation = evaluate();
  progress.evaluations.push_back(evaluation);
  const Evaluation* best = best_evaluation(progress.evaluations);
  const bool is_best = best == &progress.evaluations.back();
  keep_validated(is_best);
  validation_due = false;
  log_validation(evaluation, is_best);
}

std::optional<std::string> Trainer::Impl::stop_reason() const {
  const Position now = position();
  for (const auto& period : options.stop.any) {
    if (reached(period, now)) return period.text();
  }
  StopState state{progress.evaluations, std::nullopt};
  bool warming_up = false;
  for (const auto& [name, optimizer] : optimizers) {
    warming_up = warming_up || is_warming_up(optimizer.options(), progress, length);
    const double lr = learning_rate(optimizer.options(), progress, length);
    state.lr = std::max(state.lr.value_or(lr), lr);
  }
  if (warming_up) state.lr.reset();
  for (const auto& condition : options.stop_when) {
    if (condition->holds(state)) return condition.name();
  }
  return model->stop_reason(progress);
}

Trainer::Trainer(std::shared_ptr<Trainable> model, const TrainOptions& options, DataLoaders streams,
                 DataLoaders validation, Host& host)
    : impl_(std::make_unique<Impl>(std::move(model), options, std::move(streams),
                                   std::move(validation), host)) {}
Trainer::~Trainer() = default;

void Trainer::resume() {
  impl_->resume();
}
void Trainer::step() {
  impl_->step();
}
void Trainer::save() {
  impl_->save();
}
const Progress& Trainer::progress() const {
  return impl_->progress;
}

Evaluation Trainer::validate() {
  const BorrowedWeights borrowed(impl_->layout.parameters(), impl_->averaged_weights());
  return impl_->evaluate();
}

TrainResult Trainer::train() {
  if (!impl_->resumed) impl_->resume();
  const auto stop_if_asked = [this] {
    if (!stop_requested()) return;
    impl_->save_if_new();
    throw_if_stopped();
  };
  try {
    impl_->validate_if_due();
    std::optional<std::string> reason;
    while (!(reason = impl_->stop_reason())) {
      stop_if_asked();
      impl_->step();
    }
    stop_if_asked();
    return impl_->finish(*reason);
  } catch (const Interrupted&) {
    // During a validation, the preceding step is complete and can be saved; resuming repeats the
    // validation. During an update, the state is inconsistent: keep the previous checkpoint.
    if (!impl_->updating) impl_->save_if_new();
    throw;
  }
}

}  // namespace lvtext
