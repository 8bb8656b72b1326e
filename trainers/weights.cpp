#include "trainers/weights.h"

#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"

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

TensorMap copy_of(const TensorMap& tensors) {
  TensorMap copies;
  for (const auto& [name, tensor] : tensors) copies[name] = tensor.detach().clone();
  return copies;
}

ScopedWeights::ScopedWeights(const NamedTensors& parameters, const TensorMap& values) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, parameter] : parameters) {
    const auto found = values.find(name);
    if (found == values.end()) continue;
    own_.emplace_back(parameter, parameter.detach().clone());
    parameter.copy_(found->second);
  }
}

ScopedWeights::~ScopedWeights() {
  const at::NoGradGuard no_grad;
  for (const auto& [parameter, value] : own_) parameter.copy_(value);
}

}  // namespace lvtext
