// What all evaluators have in common. An evaluator says what it needs; the run graph makes it.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "evaluators/score.h"
#include "evaluators/text_metrics/ngram_stats.h"
#include "framework/model/capabilities.h"

namespace lvtext {

/// What an evaluator may be given.
enum class EvalNeed {
  kModel,            ///< the evaluated model itself
  kTest,             ///< sentences of the test set
  kTrain,            ///< sentences that the model was trained on
  kSamples,          ///< sentences that the model generated
  kReconstructions,  ///< of the test sentences, by greedy decoding from posterior means
  kForwardLm,        ///< a language model trained on the model's samples
  kReverseLm,        ///< a language model trained on other real text
  kSentenceEncoder,  ///< the recipe's encoder of sentences (`encoder` of the metric)
};

/// A sentence encoder with what it reads.
struct EvalEncoder {
  EmbedsSentences* model = nullptr;
  std::string name;        ///< of the model: "infersent"
  std::string identity;    ///< first digits of the identity of its weights
  bool published = false;  ///< weights of the encoder's authors, not trained here
  /// A sentence's words as ids of its vocabulary.
  std::function<TokenIds(const std::string&)> to_words;
};

/// A language model that scores.
struct EvalLanguageModel {
  ScoresText* model = nullptr;
  std::string identity;   ///< first digits of the identity of its weights
  int64_t sentences = 0;  ///< that it was trained on
};

/// Borrowed for the time of evaluate(). Sentences are piece ids without marks.
struct EvalInputs {
  Encodes* encodes = nullptr;
  ScoresText* scores_text = nullptr;  ///< the evaluated model
  EvalLanguageModel language_model;   ///< the forward or the reverse one
  EvalEncoder encoder;
  std::span<const TokenIds> test, train, samples, reconstructions;
  std::function<std::string(std::span<const int32_t>)> to_text;  ///< the tokenizer's decode
  std::string pieces;  ///< first digits of the tokenizer's hash, for signatures
  BootstrapOptions bootstrap;
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual std::set<EvalNeed> needs() const = 0;
  /// Names of the capabilities that the evaluated model must have (framework/model/registries.h).
  virtual std::vector<std::string> capabilities() const = 0;
  /// Samples wanted, if it needs any; fewer are scored where there are fewer.
  virtual int64_t samples() const { return 0; }
  /// The first score is the one that a table shows. Ids are among score_ids(), a static function of
  /// every evaluator's class; a model may be without some of them.
  virtual std::vector<Score> evaluate(const EvalInputs& inputs) const = 0;
  /// Raised whenever the same inputs give other numbers; part of a score's identity and signature.
  virtual int revision() const = 0;
};

}  // namespace lvtext
