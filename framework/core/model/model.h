// Base class of all models, and a loaded model with its metadata.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>

#include "framework/core/base/error.h"
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

/// Returns a capability of a model. Throws ConfigError if the model lacks it.
template <class Capability>
Capability& capability_of(const LoadedModel& loaded) {
  auto* capability = dynamic_cast<Capability*>(loaded.model.get());
  if (capability) return *capability;
  throw ConfigError("the model '" + loaded.component + "' lacks the capability " +
                    Capability::kName);
}

}  // namespace lvtext
