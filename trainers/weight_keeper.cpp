#include "trainers/weight_keeper.h"

#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/tensor/torch.h"
#include "trainers/learning_rate.h"

namespace lvtext {
namespace {

constexpr const char* kSnapshots = "snapshots";
constexpr const char* kAverage = "average";

}  // namespace

WeightKeeper::WeightKeeper(Trainable& model, const Layout& layout, const TrainOptions& options,
                           const std::map<std::string, Optimizer>& optimizers, Host& host)
    : model_(model), layout_(layout), options_(options), optimizers_(optimizers), host_(host) {
  if (!options.ema) return;
  for (const auto& [name, value] : layout.parameters()) ema_[name] = value.detach().clone();
}

void WeightKeeper::update_ema() {
  if (ema_.empty()) return;
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> means;
  std::vector<at::Tensor> values;
  for (const auto& [name, value] : layout_.parameters()) {
    means.push_back(ema_.at(name));
    values.push_back(value.detach());
  }
  at::_foreach_lerp_(means, values, 1 - *options_.ema);
}

TensorMap WeightKeeper::averaged_weights() const {
  if (!ema_.empty()) return ema_;
  TensorMap result;
  for (const auto& [name, optimizer] : optimizers_) result.merge(optimizer.averages());
  return result;
}

void WeightKeeper::keep_checkpoint(int64_t step) {
  const ScopedWeights averaged(layout_.parameters(), averaged_weights());
  host_.save_weights(kSnapshots, step, model_tensors(model_));
  kept_.push_back(step);
}

void WeightKeeper::keep_validated(int64_t step, bool is_best) {
  if (is_best) host_.save_weights(kSnapshots, step, model_tensors(model_));
  if (options_.average == 0) return;
  host_.save_weights(kAverage, step, model_tensors(model_));
  averaged_.push_back(step);
  if (static_cast<int64_t>(averaged_.size()) > options_.average) averaged_.erase(averaged_.begin());
}

void WeightKeeper::apply_averages() {
  const at::NoGradGuard no_grad;
  const TensorMap means = averaged_weights();
  for (const auto& [name, value] : layout_.parameters()) {
    const auto mean = means.find(name);
    if (mean != means.end()) value.copy_(mean->second);
  }
  if (averaged_.empty()) return;
  TensorMap sum;
  for (const int64_t step : averaged_) {
    for (const auto& [name, value] : host_.load_weights(kAverage, step)) {
      at::Tensor& total = sum[name];
      total = total.defined() ? total + value.to(at::kDouble) : value.to(at::kDouble);
    }
  }
  for (const auto& [name, value] : layout_.parameters()) {
    value.copy_(sum.at(name) / static_cast<double>(averaged_.size()));
  }
}

std::vector<int64_t> WeightKeeper::needed(const std::vector<Evaluation>& evaluations) const {
  std::vector<int64_t> steps = kept_;
  if (const Evaluation* best = best_evaluation(evaluations)) steps.push_back(best->step);
  return steps;
}

void WeightKeeper::remove_unneeded(const std::vector<Evaluation>& evaluations) {
  const std::vector<int64_t> now = needed(evaluations);
  std::vector<int64_t> keep = now;
  keep.insert(keep.end(), needed_before_.begin(), needed_before_.end());
  host_.keep_weights(kSnapshots, keep);
  needed_before_ = now;
  if (options_.average > 0) host_.keep_weights(kAverage, averaged_);
}

void WeightKeeper::finish(const std::vector<Evaluation>& evaluations, int64_t last,
                          int64_t selected) {
  host_.save_weights(kSnapshots, last, model_tensors(model_));
  if (selected != last) {
    load_into(model_tensors(model_), host_.load_weights(kSnapshots, selected),
              std::string(kSnapshots) + "/" + step_folder_name(selected));
  }
  std::vector<int64_t> keep = needed(evaluations);
  keep.insert(keep.end(), {last, selected});
  host_.keep_weights(kSnapshots, keep);
}

std::string WeightKeeper::kept_every() const {
  return options_.keep.checkpoints ? options_.keep.checkpoints->text() : "";
}

std::optional<std::vector<int64_t>> WeightKeeper::kept_checkpoints() const {
  if (!options_.keep.checkpoints || !all_kept_) return std::nullopt;
  return kept_;
}

nlohmann::json WeightKeeper::save() const {
  return {{"kept", kept_}, {"kept_every", all_kept_ ? kept_every() : ""}, {"averaged", averaged_}};
}

void WeightKeeper::load(const nlohmann::json& saved, const std::vector<Evaluation>& evaluations) {
  // The set is incomplete if the interval has changed or was not set from step 0 on.
  all_kept_ = saved.value("kept_every", "") == kept_every();
  if (all_kept_) kept_ = saved.at("kept").get<std::vector<int64_t>>();
  averaged_ = saved.at("averaged").get<std::vector<int64_t>>();
  needed_before_ = needed(evaluations);
}

}  // namespace lvtext
