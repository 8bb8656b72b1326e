// Models whose published weights have names of their own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/base/error.h"

namespace lvtext {

/// The tensors of a published file that make up one tensor of a model.
struct PublishedTensor {
  std::vector<std::string> names;  ///< joined along their first dimension, after transposition
  bool transposed = false;         ///< each is stored as [in, out], not as [out, in]
};

/// A model with published weights (`import: MODEL, weights: FILE`) whose tensors are named as the
/// authors' program names them. Other models are imported from files with their own names.
class Published {
 public:
  virtual ~Published() = default;
  /// The tensors of the file that make up the model's tensor `name`. Tensors of the file that no
  /// tensor is made of are left out.
  virtual PublishedTensor published(const std::string& name) const = 0;
  /// The beginning that all names have in some files; empty: none.
  virtual std::string published_prefix() const { return ""; }
  /// Pairs of names of tensors that a file must have with equal values if it has both, because the
  /// model has one tensor for them.
  virtual std::vector<std::pair<std::string, std::string>> published_ties() const { return {}; }
  /// The configuration with which the authors' program reads the weights, for an export in its
  /// form; empty: there is no such form.
  virtual nlohmann::ordered_json published_config() const {
    return nlohmann::ordered_json::object();
  }
  /// The reverse: the options of the model that a configuration of the authors' program describes.
  /// `model_type` of the configuration is the name of the model. Independent of this object's own
  /// options. Throws DataError, with all reasons, for a configuration that the model cannot have.
  virtual nlohmann::ordered_json published_options(const nlohmann::ordered_json& /*config*/) const {
    throw DataError("weights of this model have no configuration of another program");
  }
  /// The kind of tokenizer that reads the tokenizer's files of the authors' program from their
  /// folder.
  virtual std::string published_tokenizer() const { return ""; }
};

}  // namespace lvtext
