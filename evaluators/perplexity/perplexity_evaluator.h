// Perplexity of a system's outputs under a language model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/cross_entropy/cross_entropy_evaluator.h"
#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Treatment of words that the language model does not know.
enum class UnknownTokens { kCount, kExclude };
const std::vector<EnumName<UnknownTokens>>& enum_names(UnknownTokens);

struct PerplexityOptions {
  std::string label = "style";
  std::optional<UnknownTokens> unknown;
  int64_t batch = 256;

  template <class V>
  void visit(V& v) {
    v.field("label", label, "column of `records` with the style of the source", not_empty());
    v.field("unknown", unknown, "unknown tokens of the language model's vocabulary (unset: count)");
    v.field("batch", batch, "number of sentences scored together; does not affect the score",
            in_range(1, kMaxTogether));
  }
};

/// Perplexity of all outputs together under a given language model, on its tokens and EOS (PP of
/// Pang and Gimpel 2019), and the other cross entropy scores. "perplexity_without_eos" excludes the
/// NLL and the count of EOS; it is missing if the model is not a NextTokenModel, and undefined if
/// there is no other token. "perplexity_0" and "perplexity_1" are of the outputs whose source has
/// the first or second style; they require the input "records". `unknown: exclude` excludes the NLL
/// and the count of unknown tokens from all of these; it requires a NextTokenModel.
class PerplexityEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 6;
  explicit PerplexityEvaluator(const PerplexityOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  PerplexityOptions options_;
};

}  // namespace lvtext
