// A named optimizer: its update rule and the moments of all parameters that it has updated.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/checkpoint/safetensors.h"
#include "trainers/options.h"

namespace lvtext {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Adam, AdamW, SGD, RMSprop or ASGD with the semantics of torch.optim (2.11). Moments are keyed by
/// parameter name, so two optimizers may share parameters and a phase may update any subset.
///
/// AdamW has two forms (m, v: moving averages of gradients and squared gradients after t steps):
///   torch (Loshchilov and Hutter 2019, as torch.optim.AdamW):
///     w -= lr * wd * w;  w -= lr / (1 - b1^t) * m / (sqrt(v / (1 - b2^t)) + eps)
///   transformers (Kingma and Ba 2015, end of section 2, with decay as the AdamW of Hugging Face
///   transformers before version 5 and of the release of Martins et al. 2020):
///     w -= lr * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps);  w -= lr * wd * w
/// They differ where sqrt(v) is not much larger than eps, and in the value that is decayed.
///
/// ASGD averages the parameters from update t0 on. With a trigger in place of t0, the k-th update
/// after it fires computes avg += (w - avg) / max(1, k - 1). NT-ASGD (Merity, Keskar and Socher
/// 2018) uses lambda 0, which makes the updates themselves equal to SGD.
class Optimizer {
 public:
  /// `name`: key in `train.optimizers`, for messages. `undecayed`: names of the parameters without
  /// weight decay.
  Optimizer(std::string name, const OptimizerOptions& options,
            std::set<std::string> undecayed = {});

  /// Updates `params` in place from `gradients` (same order, shapes and dtypes) with learning rate
  /// `lr`, without recording gradients. Increments the version counter of every parameter, so that
  /// backward() through a stale graph fails instead of giving wrong gradients. May scale
  /// `gradients` in place. `averages`: the trigger that replaces ASGD's t0 has fired.
  void step(const NamedTensors& params, std::vector<at::Tensor> gradients, double lr,
            bool averages = false);

  const std::string& name() const { return name_; }
  const OptimizerOptions& options() const { return options_; }
  /// Tensors "<parameter>.<moment>", "<parameter>.step" and, once a trigger fired,
  /// "<parameter>.averaged" (int64, updates since): the contents of optimizer.<name>.safetensors.
  TensorMap state() const;
  /// Replaces the moments by saved ones. Throws DataError that lists all tensors that do not belong
  /// to `params` (all parameters of the model) or differ in shape.
  void load(const TensorMap& state, const NamedTensors& params);
  /// ASGD: the running means of the parameters that it has updated; otherwise empty.
  TensorMap averages() const;

 private:
  struct Moments {
    int64_t step = 0;
    int64_t averaged = 0;  ///< ASGD: updates since its trigger fired
    std::map<std::string, at::Tensor> tensors;
  };
  double weight_decay(const std::string& param) const;
  void add_weight_decay(const std::vector<at::Tensor>& values, const NamedTensors& params,
                        std::vector<at::Tensor>& gradients) const;
  std::vector<at::Tensor> moments(const NamedTensors& params, const std::string& moment);
  void adam(const NamedTensors& params, const std::vector<at::Tensor>& gradients, double lr);
  void sgd(const std::vector<at::Tensor>& values, const NamedTensors& params,
           std::vector<at::Tensor>& gradients, double lr);
  void rmsprop(const std::vector<at::Tensor>& values, const NamedTensors& params,
               const std::vector<at::Tensor>& gradients, double lr);
  void asgd(const std::vector<at::Tensor>& values, const NamedTensors& params,
            const std::vector<at::Tensor>& gradients, double lr, bool averages);

  std::string name_;
  OptimizerOptions options_;
  std::set<std::string> undecayed_;
  std::map<std::string, Moments> state_;
};

}  // namespace lvtext
