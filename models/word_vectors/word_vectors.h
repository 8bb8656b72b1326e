// Word vectors of a file.
#pragma once

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// The vectors of its tokenizer, whose words are those of a file: only imported, never fitted.
class FileVectors : public Fitted, public WordVectors {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const NoOptions&) { return {}; }
  FileVectors(const NoOptions& options, const ModelInputs& inputs);

  /// Throws std::logic_error: a model without inputs is not fitted.
  void fit(const Inputs& inputs, const Notify& progress) override;
  at::Tensor vectors() const override { return vectors_; }

 private:
  at::Tensor vectors_;  // [V, D], buffer "words.weight" as in models that are trained
};

}  // namespace lvtext
