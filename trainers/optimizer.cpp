#include "trainers/optimizer.h"

#include <cmath>
#include <tuple>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

std::vector<at::Tensor> values_of(const NamedTensors& params) {
  std::vector<at::Tensor> values;
  values.reserve(params.size());
  // Detached aliases share storage and version counter and allow in-place writes.
  for (const auto& [name, value] : params) values.push_back(value.detach());
  return values;
}

/// True if optimizers of this type have the moment `moment`.
std::vector<std::string> moment_names(OptimizerType type) {
  switch (type) {
    case OptimizerType::kAdam:
    case OptimizerType::kAdamW: return {"exp_avg", "exp_avg_sq"};
    case OptimizerType::kSgd: return {"momentum"};
    case OptimizerType::kRmsprop: return {"square_avg", "momentum"};
    case OptimizerType::kAsgd: return {"ax"};
  }
  return {};
}

}  // namespace

Optimizer::Optimizer(std::string name, const OptimizerOptions& options,
                     std::set<std::string> undecayed)
    : name_(std::move(name)), options_(options), undecayed_(std::move(undecayed)) {}

double Optimizer::weight_decay(const std::string& param) const {
  return undecayed_.contains(param) ? 0 : options_.decay();
}

std::vector<at::Tensor> Optimizer::moments(const NamedTensors& params, const std::string& moment) {
  std::vector<at::Tensor> result;
  result.reserve(params.size());
  for (const auto& [name, value] : params) {
    at::Tensor& tensor = state_[name].tensors[moment];
    if (!tensor.defined()) tensor = at::zeros_like(value, at::MemoryFormat::Contiguous);
    result.push_back(tensor);
  }
  return result;
}

void Optimizer::add_weight_decay(const std::vector<at::Tensor>& values, const NamedTensors& params,
                                 std::vector<at::Tensor>& gradients) const {
  std::vector<size_t> indices;
  std::vector<at::Tensor> decayed, slopes;
  for (size_t i = 0; i < params.size(); ++i) {
    if (undecayed_.contains(params[i].first)) continue;
    indices.push_back(i);
    decayed.push_back(values[i]);
    slopes.push_back(gradients[i]);
  }
  if (indices.empty()) return;
  const auto sums = at::_foreach_add(slopes, decayed, options_.decay());
  for (size_t k = 0; k < indices.size(); ++k) gradients[indices[k]] = sums[k];
}

void Optimizer::step(const NamedTensors& params, std::vector<at::Tensor> gradients, double lr,
                     bool averages) {
  LVT_ASSERT(params.size() == gradients.size(), "one gradient per parameter");
  if (params.empty()) return;
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> values = values_of(params);
  for (const auto& [name, value] : params) ++state_[name].step;
  const bool decoupled = options_.type == OptimizerType::kAdamW;
  const bool fused = decoupled || options_.type == OptimizerType::kAdam;
  if (options_.decay() != 0 && !fused) add_weight_decay(values, params, gradients);
  switch (options_.type) {
    case OptimizerType::kAdam:
    case OptimizerType::kAdamW: adam(params, gradients, lr); break;
    case OptimizerType::kSgd: sgd(values, params, gradients, lr); break;
    case OptimizerType::kRmsprop: rmsprop(values, params, gradients, lr); break;
    case OptimizerType::kAsgd: asgd(values, params, gradients, lr, averages); break;
  }
  for (const auto& [name, value] : params) value.unsafeGetTensorImpl()->bump_version();
}

void Optimizer::adam(const NamedTensors& params, const std::vector<at::Tensor>& gradients,
                     double lr) {
  // The fused kernels require parameters of one device and dtype, and float tensors as step counts.
  struct Batch {
    std::vector<at::Tensor> values, gradients, first, second, steps;
  };
  std::map<std::tuple<int64_t, at::ScalarType, double>, Batch> batches;
  const auto first = moments(params, "exp_avg");
  const auto second = moments(params, "exp_avg_sq");
  for (size_t i = 0; i < params.size(); ++i) {
    const int64_t step = state_.at(params[i].first).step;
    Batch& batch = batches[{step, params[i].second.scalar_type(), weight_decay(params[i].first)}];
    batch.values.push_back(params[i].second.detach());
    batch.gradients.push_back(gradients[i].contiguous());
    batch.first.push_back(first[i]);
    batch.second.push_back(second[i]);
    const auto options = at::TensorOptions().dtype(at::kFloat).device(params[i].second.device());
    batch.steps.push_back(batch.steps.empty() ? at::full({}, static_cast<double>(step), options)
                                              : batch.steps.front());
  }
  const bool decoupled = options_.type == OptimizerType::kAdamW;
  const bool decays_last =
      decoupled && options_.form.value_or(AdamwForm::kTorch) == AdamwForm::kTransformers;
  for (auto& [key, batch] : batches) {
    using Rule =
        void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                 at::TensorList, double, double, double, double, double, bool, bool,
                 const std::optional<at::Tensor>&, const std::optional<at::Tensor>&);
    const Rule rule = decoupled && !decays_last ? Rule{at::_fused_adamw_} : Rule{at::_fused_adam_};
    double decay = std::get<double>(key);
    double eps = options_.eps;
    if (decays_last) {
      // The kernel adds eps to sqrt(v / c) with c = 1 - b2^t. Passing eps / sqrt(c) gives
      // (sqrt(v) + eps) / sqrt(c).
      eps /= std::sqrt(1 - std::pow(options_.betas[1], static_cast<double>(std::get<0>(key))));
      decay = 0;
    }
    rule(batch.values, batch.gradients, batch.first, batch.second, {}, batch.steps, lr,
         options_.betas[0], options_.betas[1], decay, eps,
         /*amsgrad=*/false, /*maximize=*/false, {}, {});
    const double kept = 1 - lr * std::get<double>(key);
    if (decays_last && kept != 1) at::_foreach_mul_(batch.values, kept);
  }
}

void Optimizer::sgd(const std::vector<at::Tensor>& values, const NamedTensors& params,
                    std::vector<at::Tensor>& gradients, double lr) {
  if (options_.momentum != 0) {
    auto buffers = moments(params, "momentum");
    at::_foreach_mul_(buffers, options_.momentum);
    at::_foreach_add_(buffers, gradients, 1);
    gradients = buffers;
  }
  at::_foreach_add_(values, gradients, -lr);
}

void Optimizer::rmsprop(const std::vector<at::Tensor>& values, const NamedTensors& params,
                        const std::vector<at::Tensor>& gradients, double lr) {
  auto squares = moments(params, "square_avg");
  at::_foreach_mul_(squares, options_.alpha);
  at::_foreach_addcmul_(squares, gradients, gradients, 1 - options_.alpha);
  auto roots = at::_foreach_sqrt(squares);
  at::_foreach_add_(roots, options_.eps);
  if (options_.momentum == 0) {
    at::_foreach_addcdiv_(values, gradients, roots, -lr);
    return;
  }
  auto buffers = moments(params, "momentum");
  at::_foreach_mul_(buffers, options_.momentum);
  at::_foreach_addcdiv_(buffers, gradients, roots, 1);
  at::_foreach_add_(values, buffers, -lr);
}

void Optimizer::asgd(const std::vector<at::Tensor>& values, const NamedTensors& params,
                     const std::vector<at::Tensor>& gradients, double lr, bool averages) {
  const auto* t0 = std::get_if<double>(&options_.t0);
  const auto means = moments(params, "ax");
  for (size_t i = 0; i < params.size(); ++i) {
    Moments& own = state_.at(params[i].first);
    const auto before = static_cast<double>(own.step - 1);
    const double eta = lr / std::pow(1 + options_.lambda * lr * before, options_.power);
    const double since = t0 ? before - *t0 : static_cast<double>(averages ? own.averaged++ : 0);
    const double mu = 1 / std::max(1.0, since);
    values[i].mul_(1 - options_.lambda * eta).add_(gradients[i], -eta);
    if (mu == 1) {
      means[i].copy_(values[i]);
    } else {
      means[i].add_(values[i] - means[i], mu);
    }
  }
}

TensorMap Optimizer::state() const {
  TensorMap result;
  for (const auto& [name, moments] : state_) {
    result[name + ".step"] = at::full({}, moments.step, at::kLong);
    if (moments.averaged > 0)
      result[name + ".averaged"] = at::full({}, moments.averaged, at::kLong);
    for (const auto& [moment, tensor] : moments.tensors) result[name + "." + moment] = tensor;
  }
  return result;
}

void Optimizer::load(const TensorMap& state, const NamedTensors& params) {
  std::map<std::string, at::Tensor> by_name(params.begin(), params.end());
  const auto allowed = moment_names(options_.type);
  std::vector<std::string> wrong;
  std::map<std::string, Moments> loaded;
  const bool has_trigger = !std::holds_alternative<double>(options_.t0);
  for (const auto& [key, tensor] : state) {
    const size_t dot = key.rfind('.');
    const std::string name = key.substr(0, dot);
    const std::string moment = dot == std::string::npos ? "" : key.substr(dot + 1);
    const bool is_count = tensor.dim() == 0 && tensor.scalar_type() == at::kLong;
    const auto param = by_name.find(name);
    if (param == by_name.end()) {
      wrong.push_back(key + " (the model has no such parameter)");
    } else if (is_count && (moment == "step" || (moment == "averaged" && has_trigger))) {
      Moments& own = loaded[name];
      (moment == "step" ? own.step : own.averaged) = tensor.item<int64_t>();
    } else if (std::find(allowed.begin(), allowed.end(), moment) == allowed.end()) {
      wrong.push_back(key + " (not a moment of " + enum_name(options_.type) + ")");
    } else if (tensor.sizes() != param->second.sizes()) {
      wrong.push_back(key + " (shape differs from the parameter's)");
    } else {
      loaded[name].tensors[moment] =
          tensor.to(param->second.device(), param->second.scalar_type(), false, /*copy=*/true)
              .contiguous();
    }
  }
  if (!wrong.empty()) {
    throw DataError("optimizers." + name_ + ": does not match this model and recipe: " +
                    join(wrong) + "; resume with the recipe that wrote it, or train from scratch");
  }
  state_ = std::move(loaded);
}

TensorMap Optimizer::averages() const {
  TensorMap result;
  for (const auto& [name, moments] : state_) {
    const auto found = moments.tensors.find("ax");
    if (found != moments.tensors.end()) result[name] = found->second;
  }
  return result;
}

}  // namespace lvtext
