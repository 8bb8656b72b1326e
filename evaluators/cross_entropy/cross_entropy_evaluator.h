// Forward and reverse cross entropy of sentences under a language model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct CrossEntropyOptions {
  int64_t samples = 100000;
  int64_t batch = 256;

  template <class V>
  void visit(V& v) {
    v.field("samples", samples, "number of sentences sampled from the model",
            in_range(1, kMaxSamples));
    v.field("batch", batch, "number of sentences scored together; does not affect the score",
            in_range(1, kMaxTogether));
  }
};

struct ReverseCrossEntropyOptions : CrossEntropyOptions {
  ReverseCrossEntropyOptions() { samples = 10000; }
};

/// "nats_per_sentence", "nats_per_token", "bits_per_token", "perplexity", "unknown_words".
std::vector<ScoreDecl> cross_entropy_decls();

/// Revision of the evaluators that have only the scores of cross_entropy_scores().
inline constexpr int kCrossEntropyRevision = 5;

/// A text under a language model, by sentence.
struct ScoredText {
  std::vector<double> nats;          ///< NLL, EOS included if texts of the model end
  std::vector<double> tokens;        ///< number of tokens of the NLL (scored_tokens())
  std::string end = "counted";       ///< whether EOS is a token of the NLL: "counted" or "none"
  std::vector<double> unknown = {};  ///< unknown_words()
  std::string tokenizer = {};        ///< first digits of the tokenizer's hash, for signatures
  std::string unknown_counted = {};  ///< how unknown words are scored, for a note
};

/// The text with the NLL of each sentence. `sentences` are its ids for the model.
ScoredText scored_text(const LoadedModel& model, const Text& text,
                       std::span<const TokenIds> sentences, std::vector<double> nats);

/// A note on the share of words that are unknown to the language model; empty if less than
/// 0.1 % are.
std::vector<std::string> unknown_words_note(const ScoredText& text);

/// Computes the scores of cross_entropy_decls(). EOS counts as a token if texts of the model end;
/// empty sentences are included. `name` starts the signatures, `version` ends them. A change of the
/// values raises the revisions of all evaluators that use this function.
std::vector<Score> cross_entropy_scores(const std::string& name, const ScoredText& text,
                                        int version);

/// Cross entropy of the test set under a language model trained on the model's samples; low if the
/// samples cover the test set.
class ForwardCrossEntropy : public Evaluator {
 public:
  static constexpr int kRevision = kCrossEntropyRevision;
  explicit ForwardCrossEntropy(const CrossEntropyOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() { return cross_entropy_decls(); }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  CrossEntropyOptions options_;
};

/// Cross entropy of the model's samples under a language model trained on other real text. A value
/// below that of real data indicates collapse.
class ReverseCrossEntropy : public Evaluator {
 public:
  static constexpr int kRevision = kCrossEntropyRevision;
  explicit ReverseCrossEntropy(const ReverseCrossEntropyOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() { return cross_entropy_decls(); }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  ReverseCrossEntropyOptions options_;
};

}  // namespace lvtext
