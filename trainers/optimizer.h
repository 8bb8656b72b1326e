// One named optimizer: its update rule and the moments of every parameter it has stepped.
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
/// parameter name, so that two optimizers may share parameters and a phase may step any subset.
///
/// AdamW, with m and v the means of gradients and of their squares after t steps, has two forms:
///   torch (Loshchilov and Hutter 2019, as torch.optim.AdamW):
///     w -= lr * wd * w;  w -= lr / (1 - b1^t) * m / (sqrt(v / (1 - b2^t)) + eps)
///   transformers (Kingma and Ba 2015, end of section 2, with decay as the AdamW of Hugging Face
///   transformers before version 5 and of the release of Martins et al. 2020):
///     w -= lr * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps);  w -= lr * wd * w
/// They differ where sqrt(v) is not large against eps, and in what is decayed.
///
/// ASGD averages the parameter from update t0 on. With a trigger in place of t0 the k-th update
/// after it fires does avg += (w - avg) / max(1, k - 1): NT-ASGD (Merity, Keskar and Socher 2018)
/// is lambda 0, with which the updates themselves are those of SGD throughout.
class Optimizer {
 public:
  /// `name` is that of `train.optimizers`, for messages. Parameters named in `undecayed` are left
  /// out of weight decay.
  Optimizer(std::string name, const OptimizerOptions& options,
            std::set<std::string> undecayed = {});

  /// One update of `params` by `gradients` (same order, shapes and dtypes) with learning rate `lr`,
  /// in place and without gradient. Raises the version counter of every parameter, so that stale
  /// graphs through it fail rather than give wrong gradients. May scale `gradients` in place.
  /// `averages`: the trigger in place of ASGD's t0 has fired.
  void step(const NamedTensors& params, std::vector<at::Tensor> gradients, double lr,
            bool averages = false);

  const std::string& name() const { return name_; }
  const OptimizerOptions& options() const { return options_; }
  /// "<parameter>.<moment>", "<parameter>.step" and, once a trigger fired, "<parameter>.averaged"
  /// (int64, updates since): optim.<name>.safetensors.
  TensorMap state() const;
  /// Replaces the moments by saved ones. Throws DataError, listing all, for tensors that do not
  /// belong to `params` (every parameter of the model) or differ in shape.
  void load(const TensorMap& state, const NamedTensors& params);
  /// ASGD: the running means of the parameters it has stepped; else empty.
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
