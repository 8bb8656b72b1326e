// Scores of token records: what a next-token distribution p gives to the token x that follows.
// Means are over all tokens of all texts, or by the option `mean` over texts; the texts are
// resampled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/token_scores/records.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct TokenMeanOptions {
  std::optional<MeanOver> mean;  // optional, so that identities do not include it if unset

  MeanOver over() const { return mean.value_or(MeanOver::kTokens); }
  template <class V>
  void visit(V& v) {
    v.field("mean", mean, "what has the same weight in means (unset: tokens)");
  }
};

/// "sp": the mean sparsemax score p(x) + (1 - |p|^2) / 2 of Martins, Marinho and Martins (2020),
/// which is defined for p(x) = 0; for greedy decoding the accuracy.
class SparsemaxScore : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit SparsemaxScore(const TokenMeanOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  TokenMeanOptions options_;
};

/// "js": the mean Jensen-Shannon divergence in nats of p and the one-hot distribution of x (Martins
/// et al. 2020), a function of p(x) alone; ln 2 for p(x) = 0.
class ReferenceJs : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit ReferenceJs(const TokenMeanOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  TokenMeanOptions options_;
};

/// The number of tokens with p > 0 (Martins et al. 2020, table 4): "mean", "median", "sd" (with the
/// number of tokens in the denominator), "min" and "max". A softmax counts all tokens that its
/// policy keeps, even if their probability underflows.
class SupportSize : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit SupportSize(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

struct EpsilonPerplexityOptions : TokenMeanOptions {
  std::optional<double> epsilon;

  template <class V>
  void visit(V& v) {
    TokenMeanOptions::visit(v);
    v.field("epsilon", epsilon,
            "epsilon, in place of the best one for the input `fitted_on`; 0: perplexity",
            in_range(0, 1e30));
  }
};

/// "perplexity": exp(-mean ln((p(x) + e) / (1 + e V))) (Martins et al. 2020), where V is the size
/// of the vocabulary and e the option or the best value for the records `fitted_on`, computed
/// exactly (their appendix A): 0 where the plain perplexity is best. "optimum" is the same with the
/// e that is best for the scored records, "nats_per_byte" the nats of "perplexity" per byte of the
/// decoded text (without EOS), which does not depend on the tokenizer, and "epsilon" is e. The
/// interval of "optimum" takes its e as given: at an optimum, the value does not depend on e to
/// first order. For a mean over texts, e is the best one for that mean, and there is no
/// "nats_per_byte". Undefined if a token has the probability 0 and e is 0, with the number of these
/// tokens as the reason. Records of `spread_records` have no text and no "nats_per_byte".
class EpsilonPerplexity : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit EpsilonPerplexity(const EpsilonPerplexityOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  EpsilonPerplexityOptions options_;
};

/// Tokens in which a repeated token is searched.
enum class RepetitionContext { kTargets, kFull };
const std::vector<EnumName<RepetitionContext>>& enum_names(RepetitionContext);

struct RepetitionOptions {
  std::vector<int64_t> windows = {16, 32, 128, 512};
  RepetitionContext context = RepetitionContext::kTargets;

  template <class V>
  void visit(V& v) {
    v.field("windows", windows, "numbers of preceding tokens among which a token is a repetition",
            in_range(1, 1000000), not_empty());
    v.field("context", context, "tokens that belong to a window");
  }
};

/// Shares of tokens drawn from p that repeat the preceding text (Welleck et al. 2020; Martins et
/// al. 2020): "rep" those that are among the l tokens before, "wrep" those that are, but are not x,
/// "human" the share of tokens x that are, "expected" the mean probability of the tokens that are,
/// which is the expectation of "rep" over draws; each is the mean over the windows l. "rep_16",
/// "wrep_16" and the like are of the windows 16, 32, 128 and 512 alone, if they are among
/// `windows`. The draws are those of the records; those of greedy decoding are its choices.
/// "expected" is given if the records have all windows and `context` is "targets".
class Repetition : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit Repetition(const RepetitionOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  RepetitionOptions options_;
};

}  // namespace lvtext
