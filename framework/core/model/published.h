// Models whose published weights have names of their own.
#pragma once

#include <string>
#include <vector>

namespace lvtext {

/// A model with published weights (`import: MODEL, weights: FILE`) whose tensors are named as the
/// authors' program names them. Other models are imported from files with their own names.
class Published {
 public:
  virtual ~Published() = default;
  /// The tensors of the file that make up the model's tensor `name`, joined along their first
  /// dimension. Tensors of the file that no tensor is made of are left out.
  virtual std::vector<std::string> published_names(const std::string& name) const = 0;
};

}  // namespace lvtext
