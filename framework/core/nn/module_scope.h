// Builds the parts of a module: a part's name is written once.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Registers layers and parameters in a module. The name of each gives its name in checkpoints and
/// the key of its initial values.
///
///   const ModuleScope scope(*this, {inputs.seed});
///   to_mean_ = scope.add<Linear>("to_mean", state, latent);  // "to_mean.weight", "to_mean.bias"
class ModuleScope {
 public:
  /// `init` is that of the owner itself, whose path is empty if it is the model.
  ModuleScope(torch::nn::Module& owner, Init init) : owner_(owner), init_(std::move(init)) {}

  /// The new module `name`, built as Layer(its Init, arguments...).
  template <class Layer, class... Arguments>
  std::shared_ptr<Layer> add(const std::string& name, Arguments&&... arguments) const {
    return owner_.register_module(
        name, std::make_shared<Layer>(init_.child(name), std::forward<Arguments>(arguments)...));
  }
  /// The scope of the new module `name`, which holds parameters and nothing else.
  ModuleScope child(const std::string& name) const {
    return {*owner_.register_module(name, std::make_shared<torch::nn::Module>()),
            init_.child(name)};
  }
  /// The new parameter `name` with U(-bound, bound) values.
  at::Tensor uniform(const std::string& name, at::IntArrayRef shape, double bound) const {
    return owner_.register_parameter(name, uniform_init(init_.child(name), shape, bound));
  }
  /// The new parameter `name` with N(0, deviation^2) values.
  at::Tensor normal(const std::string& name, at::IntArrayRef shape, double deviation) const {
    return owner_.register_parameter(name, normal_init(init_.child(name), shape, deviation));
  }
  /// The new buffer `name`: saved with the parameters, not trained.
  at::Tensor buffer(const std::string& name, const at::Tensor& value) const {
    return owner_.register_buffer(name, value);
  }

 private:
  torch::nn::Module& owner_;
  Init init_;
};

}  // namespace lvtext
