// What serves capabilities.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>

#include "framework/core/text/text.h"

namespace lvtext {

/// A module whose named tensors are an artifact, and which serves the capabilities that its class
/// inherits from (framework/core/model/capabilities.h). What is trained is a Trainable.
class Model : public torch::nn::Module {};

/// A finished model with what surrounds it.
struct LoadedModel {
  std::string component;                       ///< its name in the registry: "vae"
  std::shared_ptr<Model> model;                ///< with its selected weights, in evaluation mode
  int64_t step = 0;                            ///< of the weights
  std::string identity;                        ///< first digits of the identity of its weights
  bool published = false;                      ///< weights of its authors, not trained here
  int64_t sentences = 0;                       ///< that it was trained on; 0: not known
  std::shared_ptr<const Tokenizer> tokenizer;  ///< of the text that it reads and writes
};

}  // namespace lvtext
