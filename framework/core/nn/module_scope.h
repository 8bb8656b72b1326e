// Construction of submodules, parameters and buffers by name.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Registers layers and parameters in a module. The name determines the name in checkpoints and the
/// key of the initial values.
///
///   const ModuleScope scope(*this, {inputs.seed});
///   to_mean_ = scope.add<Linear>("to_mean", state, latent);  // "to_mean.weight", "to_mean.bias"
class ModuleScope {
 public:
  /// `init` is the Init of `owner`; its path is empty if `owner` is the model.
  ModuleScope(torch::nn::Module& owner, Init init) : owner_(owner), init_(std::move(init)) {}

  /// Adds the module `name`, constructed as Layer(its Init, arguments...).
  template <class Layer, class... Arguments>
  std::shared_ptr<Layer> add(const std::string& name, Arguments&&... arguments) const {
    return owner_.register_module(
        name, std::make_shared<Layer>(init_.child(name), std::forward<Arguments>(arguments)...));
  }
  /// Adds the module `name`, for parameters only, and returns its scope.
  ModuleScope child(const std::string& name) const {
    return {*owner_.register_module(name, std::make_shared<torch::nn::Module>()),
            init_.child(name)};
  }
  /// Adds the parameter `name` with U(-bound, bound) values.
  at::Tensor uniform(const std::string& name, at::IntArrayRef shape, double bound) const {
    return owner_.register_parameter(name, uniform_init(init_.child(name), shape, bound));
  }
  /// Adds the parameter `name` with N(0, deviation^2) values.
  at::Tensor normal(const std::string& name, at::IntArrayRef shape, double deviation) const {
    return owner_.register_parameter(name, normal_init(init_.child(name), shape, deviation));
  }
  /// Adds the buffer `name`, which is saved with the parameters but not trained.
  at::Tensor buffer(const std::string& name, const at::Tensor& value) const {
    return owner_.register_buffer(name, value);
  }

 private:
  torch::nn::Module& owner_;
  Init init_;
};

}  // namespace lvtext
