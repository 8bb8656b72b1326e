// F1 of the words that an output shares with its reference, such as replies of a dialogue.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// "f1" (words without case, punctuation and articles, clipped, as ConvAI2) and "f1_ref" (subword
/// tokens, not clipped, as the released script of Martins, Marinho and Martins 2020), means over
/// texts in percent.
class WordF1Evaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit WordF1Evaluator(const NoOptions& /*options*/) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {
        {"f1",
         "F1 of the words shared with the reference, each as often as it occurs in both; "
         "without case, punctuation and articles; mean over texts, in %"},
        {"f1_ref",
         "F1 of subword tokens (words of text without token ids) in which every repetition of "
         "a token of the reference counts, so that it can be above 100; mean over texts, in %"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
