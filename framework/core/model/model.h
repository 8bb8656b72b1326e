// Base class of all models, and a loaded model with its metadata.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>

#include "framework/core/text/text.h"

namespace lvtext {

/// A module whose named tensors are stored as an artifact. It has the capabilities that its class
/// inherits from (framework/core/model/capabilities.h). Models that are trained derive from
/// Trainable.
class Model : public torch::nn::Module {};

/// A trained or fitted model with its metadata.
struct LoadedModel {
  std::string component;                       ///< name in the registry: "vae"
  std::shared_ptr<Model> model;                ///< with the selected weights, in evaluation mode
  int64_t step = 0;                            ///< training step of the weights
  std::string identity;                        ///< first digits of the identity of the weights
  bool published = false;                      ///< the authors' published weights
  std::string source;                          ///< their files, "NAME:SHA-256", ...; else empty
  int64_t sentences = 0;                       ///< number of training sentences; 0: unknown
  std::shared_ptr<const Tokenizer> tokenizer;  ///< tokenizer of its input and output text
};

}  // namespace lvtext
