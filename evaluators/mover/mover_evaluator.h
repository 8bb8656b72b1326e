// MoverScore: word mover's distance over contextual or static word vectors.
#pragma once

#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

enum class MoverVersion { kV1, kV2 };
const std::vector<EnumName<MoverVersion>>& enum_names(MoverVersion);

enum class MoverWeights { kUniform, kIdf };
const std::vector<EnumName<MoverWeights>>& enum_names(MoverWeights);

struct MoverOptions {
  MoverVersion version = MoverVersion::kV1;
  Defaulted<int64_t> layers;
  int64_t tokens = 1;
  MoverWeights weights = MoverWeights::kUniform;
  bool punctuation = true;
  bool subwords = true;
  std::vector<std::string> stop_words;

  template <class V>
  void visit(V& v) {
    v.field("version", version, "published version of the score");
    layers.usual = version == MoverVersion::kV1 ? 5 : 1;
    v.field("layers", layers,
            "number of last layers whose vectors are used, at most those of the model; unset: 5 "
            "for v1, 1 for v2",
            in_range(1, 1024));
    v.field("tokens", tokens, "number of consecutive tokens whose mean is moved", in_range(1, 8));
    v.field("weights", weights, "weights of tokens");
    v.field("punctuation", punctuation,
            "uses tokens that are a single ASCII character of punctuation");
    v.field("subwords", subwords, "uses tokens that do not begin a word");
    v.field("stop_words", stop_words, "tokens that are not used");
  }
};

/// MoverScore (Zhao et al. 2019) of outputs and references: 100 times the mean of 1 - d for v1,
/// where d is mover_distance() with squared distances, and of 1 / (1 + d) with plain ones for v2.
/// v1 is 100 for equal texts up to rounding and may be negative. A pair in which a text has no
/// token left scores 0. With word vectors in place of a model of contextual ones, tokens are
/// those of its tokenizer that have a vector, and the score is "static".
///
/// idf weights are log((N + 1) / (df + 1)), where df counts the texts that contain the token,
/// separately for outputs and references.
class MoverEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit MoverEvaluator(const MoverOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"mover",
             "mean similarity of outputs and references by the cost of moving the vectors "
             "of their tokens, at most 100"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  MoverOptions options_;
};

}  // namespace lvtext
