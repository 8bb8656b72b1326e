// What all inference components have in common: a model used on data.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/model/component.h"
#include "framework/model/inputs.h"

namespace lvtext {

/// What inference leaves. Whatever is empty is not left.
struct Inferred {
  Text text;
  std::map<std::string, at::Tensor> tensors;                        ///< on the CPU
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();  ///< for the report
};

/// A class that derives from it has, besides what is below, `static constexpr int kRevision`,
/// raised whenever the same inputs give other results, and `static constexpr ArtifactType kGives`,
/// the type of what it leaves. A run graph and the command line run the same components.
class Inference {
 public:
  virtual ~Inference() = default;
  virtual std::vector<InputDecl> inputs() const = 0;
  /// Random numbers are functions of the options and of a sentence's number alone. No gradients are
  /// computed.
  virtual Inferred run(const Inputs& inputs, const Notify& progress) const = 0;
};

}  // namespace lvtext
