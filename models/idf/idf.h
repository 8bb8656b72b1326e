// Inverse sentence frequencies of tokens.
#pragma once

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// ln(N / n) for a token that n of the text's N sentences contain; -1, no weight, for special ids
/// and tokens that no sentence contains. float64.
class Idf : public Fitted, public TokenWeights {
 public:
  static constexpr int kRevision = 2;
  static std::vector<InputDecl> inputs(const NoOptions&);
  Idf(const NoOptions& options, const ModelInputs& inputs);

  void fit(const Inputs& inputs, const Notify& progress) override;
  at::Tensor weights() const override { return weights_; }

 private:
  Vocabulary vocabulary_;
  at::Tensor weights_;  // [V]
};

}  // namespace lvtext
