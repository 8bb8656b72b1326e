#include "trainers/trainer.h"

#include <cmath>

#include "framework/base/error.h"
#include "framework/base/signals.h"
#include "framework/base/strings.h"
#include "framework/tensor/torch.h"
#include "trainers/trainer_impl.h"
#include "trainers/validation.h"

namespace lvtext {

TensorMap model_tensors(Trainable& model) {
  TensorMap tensors;
  for (const auto& group : model.groups()) {
    for (const auto& [name, value] : group.params) {
      LVT_ASSERT(tensors.emplace(name, value).second, "two parameters are named '" + name + "'");
    }
  }
  for (const auto& item : model.named_buffers()) {
    LVT_ASSERT(tensors.emplace(item.key(), item.value()).second,
               "a buffer has the name of another tensor: '" + item.key() + "'");
  }
  return tensors;
}

namespace {

/// Moves the model, and what it reads without training it, to the device.
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
                    Streams streams_in, Streams validation_in, Host& host_in)
    : model(std::move(model_in)),
      options(options_in),
      streams(std::move(streams_in)),
      validation(std::move(validation_in)),
      host(host_in),
      device(prepare_device(options)),
      // The device first: moving a module replaces its parameters' storage.
      layout(move_to(*model, device), options),
      length((check_streams(), run_length(*model, options, streams))),
      leading(leading_stream(layout.phases())),
      skips(options.nonfinite) {
  if (options.schedules_for && length.planned) {
    progress.schedule_rate = options.schedules_for->amount / static_cast<double>(*length.planned);
  }
  for (const auto& name : layout.optimizers()) {
    optimizers.emplace(name, Optimizer(name, optim_options(options, name), layout.undecayed()));
  }
  if (options.ema) {
    for (const auto& [name, value] : layout.parameters()) ema[name] = value.detach().clone();
  }
  model_tensors(*model);
  start_feeders({});
  runner = std::make_unique<StepRunner>(StepParts{
      *model, layout, options, device, feeders, optimizers, skips, means, length,
      [this](const nlohmann::ordered_json& evidence) { return host.save_evidence(evidence); }});
}

void Trainer::Impl::check_streams() const {
  for (const auto& phase : layout.phases()) {
    for (const auto& draw : phase.draws) {
      LVT_ASSERT(streams.contains(draw.stream), "phase '" + phase.name + "' draws from '" +
                                                    draw.stream + "', which was not given");
    }
  }
}

double Trainer::Impl::seconds() const {
  return seconds_before + std::chrono::duration<double>(Clock::now() - started).count();
}

Position Trainer::Impl::position() const {
  return {static_cast<double>(progress.step), feeders.at(leading).epochs(),
          static_cast<double>(progress.tokens), seconds()};
}

void Trainer::Impl::update_ema() {
  if (ema.empty()) return;
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> means_of;
  std::vector<at::Tensor> values;
  for (const auto& [name, value] : layout.parameters()) {
    means_of.push_back(ema.at(name));
    values.push_back(value.detach());
  }
  at::_foreach_lerp_(means_of, values, 1 - *options.ema);
}

TensorMap Trainer::Impl::averaged_weights() const {
  if (!ema.empty()) return ema;
  TensorMap result;
  for (const auto& [name, optimizer] : optimizers) result.merge(optimizer.averages());
  return result;
}

void Trainer::Impl::step() {
  resumed = true;
  const Position before = position();
  runner->run(progress);
  ++progress.step;
  progress.epoch = feeders.at(leading).cursor().epoch;
  update_ema();
  const Position after = position();
  if (crossed(options.log_every, before, after)) log_training();
  validation_due = crossed(options.validate, before, after);
  if (options.keep.snapshots && crossed(*options.keep.snapshots, before, after)) {
    const BorrowedWeights borrowed(layout.parameters(), averaged_weights());
    host.save_weights("snapshots", progress.step, model_tensors(*model));
    snapshots.push_back(progress.step);
  }
  if (stop_requested()) return;
  validate_if_due();
  const bool save_due =
      options.save.unit == Period::Unit::kSeconds
          ? std::chrono::duration<double>(Clock::now() - saved).count() >= options.save.amount
          : crossed(options.save, before, after);
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
  if (is_best) host.save_weights("snapshots", progress.step, model_tensors(*model));
  if (options.average > 0) {
    host.save_weights("average", progress.step, model_tensors(*model));
    averaged.push_back(progress.step);
    if (static_cast<int64_t>(averaged.size()) > options.average) averaged.erase(averaged.begin());
  }
  validation_due = false;
  log_validation(evaluation, is_best);
}

std::optional<std::string> Trainer::Impl::stop_reason() const {
  const Position now = position();
  for (const auto& period : options.stop.any) {
    if (reached(period, now)) return period.text();
  }
  if (options.patience && validations_without_gain(progress.evaluations) >= *options.patience) {
    return "patience";
  }
  if (auto own = model->stop_reason(progress)) return own;
  bool all_small = !optimizers.empty();
  for (const auto& [name, optimizer] : optimizers) {
    const auto& settings = optimizer.options();
    all_small = all_small && settings.schedule.type == LrType::kHalveOnStall &&
                settings.schedule.min_lr &&
                learning_rate(settings, progress, length) < *settings.schedule.min_lr;
  }
  if (all_small) return "min_lr";
  return std::nullopt;
}

std::vector<int64_t> Trainer::Impl::wanted_snapshots() const {
  std::vector<int64_t> wanted = snapshots;
  if (const Evaluation* best = best_evaluation(progress.evaluations)) wanted.push_back(best->step);
  return wanted;
}

void Trainer::Impl::load_average() {
  TensorMap sum;
  for (const int64_t step : averaged) {
    for (const auto& [name, value] : host.load_weights("average", step)) {
      at::Tensor& total = sum[name];
      total = total.defined() ? total + value.to(at::kDouble) : value.to(at::kDouble);
    }
  }
  const at::NoGradGuard no_grad;
  for (const auto& [name, value] : layout.parameters()) {
    value.copy_(sum.at(name) / static_cast<double>(averaged.size()));
  }
}

TrainResult Trainer::Impl::finish(const std::string& reason) {
  // Saved before the last validation: a longer run continues from here as if it had never ended.
  if (saved_step != progress.step) save();
  TrainResult result;
  result.steps = result.last_step = progress.step;
  result.stopped_by = reason;
  {
    const at::NoGradGuard no_grad;
    for (const auto& [name, value] : averaged_weights()) {
      for (const auto& [param, own] : layout.parameters()) {
        if (param == name) own.copy_(value);
      }
    }
  }
  if (!averaged.empty()) load_average();
  auto evaluations = progress.evaluations;
  const bool is_new = evaluations.empty() || evaluations.back().step != progress.step;
  if (!validation.empty() && (is_new || !averaged.empty())) {
    if (!is_new) evaluations.pop_back();
    evaluations.push_back(evaluate());
    const Evaluation* best = best_evaluation(evaluations);
    log_validation(evaluations.back(), best == &evaluations.back());
  }
  host.save_weights("snapshots", progress.step, model_tensors(*model));
  result.selected_step = progress.step;
  if (const Evaluation* best = best_evaluation(evaluations)) {
    result.best_step = best->step;
    result.best_objective = best->objective;
    if (options.select == SelectWeights::kBest && best->step != progress.step) {
      result.selected_step = best->step;
      load_into(model_tensors(*model), host.load_weights("snapshots", best->step),
                "snapshots/" + step_folder_name(best->step));
    }
  }
  auto wanted = wanted_snapshots();
  wanted.push_back(result.last_step);
  wanted.push_back(result.selected_step);
  host.keep_weights("snapshots", wanted);
  result.seconds = seconds();
  report_progress();
  resumed = false;  // the model holds selected weights now; training on starts from the checkpoint
  return result;
}

Trainer::Trainer(std::shared_ptr<Trainable> model, const TrainOptions& options, Streams streams,
                 Streams validation, Host& host)
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
    if (impl_->saved_step != impl_->progress.step) impl_->save();
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
    // Within a validation: the step before it is whole, and the validation starts over.
    if (impl_->saved_step != impl_->progress.step) impl_->save();
    throw;
  }
}

}  // namespace lvtext
