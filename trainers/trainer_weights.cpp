// Selection of the weights that are evaluated, kept, averaged and returned.
#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"
#include "trainers/trainer_impl.h"

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
               "buffer '" + item.key() + "' has the same name as another tensor");
  }
  return tensors;
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

void Trainer::Impl::keep_checkpoint() {
  const BorrowedWeights borrowed(layout.parameters(), averaged_weights());
  host.save_weights("snapshots", progress.step, model_tensors(*model));
  kept.push_back(progress.step);
}

void Trainer::Impl::keep_validated(bool is_best) {
  if (is_best) host.save_weights("snapshots", progress.step, model_tensors(*model));
  if (options.average == 0) return;
  host.save_weights("average", progress.step, model_tensors(*model));
  averaged.push_back(progress.step);
  if (static_cast<int64_t>(averaged.size()) > options.average) averaged.erase(averaged.begin());
}

std::vector<int64_t> Trainer::Impl::wanted_weights() const {
  std::vector<int64_t> wanted = kept;
  if (const Evaluation* best = best_evaluation(progress.evaluations)) wanted.push_back(best->step);
  return wanted;
}

std::string Trainer::Impl::kept_every() const {
  return options.keep.checkpoints ? options.keep.checkpoints->text() : "";
}

void Trainer::Impl::take_averages() {
  const at::NoGradGuard no_grad;
  const TensorMap means_of = averaged_weights();
  for (const auto& [name, value] : layout.parameters()) {
    const auto mean = means_of.find(name);
    if (mean != means_of.end()) value.copy_(mean->second);
  }
  if (averaged.empty()) return;
  TensorMap sum;
  for (const int64_t step : averaged) {
    for (const auto& [name, value] : host.load_weights("average", step)) {
      at::Tensor& total = sum[name];
      total = total.defined() ? total + value.to(at::kDouble) : value.to(at::kDouble);
    }
  }
  for (const auto& [name, value] : layout.parameters()) {
    value.copy_(sum.at(name) / static_cast<double>(averaged.size()));
  }
}

std::vector<Evaluation> Trainer::Impl::final_evaluations() {
  std::vector<Evaluation> evaluations = progress.evaluations;
  const bool is_new = evaluations.empty() || evaluations.back().step != progress.step;
  if (validation.empty() || (!is_new && averaged.empty())) return evaluations;
  if (!is_new) evaluations.pop_back();  // evaluated the weights before averaging
  evaluations.push_back(evaluate());
  log_validation(evaluations.back(), best_evaluation(evaluations) == &evaluations.back());
  return evaluations;
}

TrainResult Trainer::Impl::finish(const std::string& reason) {
  // Save before averaging and the last validation, so that a longer run can resume from here.
  save_if_new();
  take_averages();
  const std::vector<Evaluation> evaluations = final_evaluations();
  host.save_weights("snapshots", progress.step, model_tensors(*model));
  TrainResult result;
  result.stopped_by = reason;
  result.steps = result.last_step = result.selected_step = progress.step;
  if (const Evaluation* best = best_evaluation(evaluations)) {
    result.best_step = best->step;
    result.best_objective = best->objective;
    if (options.select_checkpoint == SelectWeights::kBest) result.selected_step = best->step;
  }
  if (result.selected_step != progress.step) {
    load_into(model_tensors(*model), host.load_weights("snapshots", result.selected_step),
              "snapshots/" + step_folder_name(result.selected_step));
  }
  auto wanted = wanted_weights();
  wanted.insert(wanted.end(), {result.last_step, result.selected_step});
  host.keep_weights("snapshots", wanted);
  if (options.keep.checkpoints && all_kept) result.kept_checkpoints = kept;
  result.seconds = seconds();
  report_progress();
  resumed = false;  // the model has the selected weights; training must reload the checkpoint
  return result;
}

}  // namespace lvtext
