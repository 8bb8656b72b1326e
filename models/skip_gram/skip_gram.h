// Word vectors by skip-gram with negative sampling (Mikolov et al. 2013).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct SkipGramOptions {
  int64_t width = 300;
  int64_t window = 5;
  int64_t negatives = 5;
  double subsample = 1e-3;
  double lr = 0.025;
  int64_t epochs = 15;
  int64_t threads = 1;
  Defaulted<bool> unknown;

  template <class V>
  void visit(V& v) {
    v.field("width", width, "width of the vectors", in_range(1, 65536));
    v.field("window", window,
            "maximum distance of tokens that predict each other; the window of each token is drawn "
            "from 1..window",
            in_range(1, 1024));
    v.field("negatives", negatives, "number of noise tokens per pair", in_range(1, 1024));
    v.field("subsample", subsample,
            "threshold t: an occurrence of a token with relative frequency f is kept with "
            "probability min(1, (sqrt(f / t) + 1) t / f); 0: all are kept",
            in_range(0, 1));
    v.field("lr", lr, "initial learning rate, which decreases linearly to 1e-4 of it", above(0));
    v.field("epochs", epochs, "number of passes over the text; 0: the vectors stay random",
            in_range(0, 10000));
    v.field("threads", threads,
            "number of threads; above 1 they update the same vectors without synchronization "
            "(Hogwild), and the vectors are not reproducible",
            in_range(1, 1024));
    unknown.usual = false;
    v.field("unknown", unknown,
            "treat the unknown token as a word, which has a vector, is predicted and drawn as "
            "noise");
  }
};

/// Probability of keeping an occurrence of a token with `count` of `total` occurrences in the text,
/// min(1, (sqrt(x) + 1) / x) with x = count / (subsample total), as in word2vec.c; 1 if `subsample`
/// is 0.
double keep_probability(int64_t count, int64_t total, double subsample);

/// The learning rate after a share of all tokens of all epochs: lr (1 - share), at least 1e-4 lr.
double skip_gram_rate(double lr, double share);

/// A pair of tokens: the input vector of the first predicts the second.
using TokenPair = std::pair<int32_t, int32_t>;
/// Replaces `pairs` by those of a sentence: each token is predicted by the tokens at distances up
/// to its window, which is drawn from 1..`window` by `key`.
void skip_gram_pairs(std::span<const int32_t> sentence, int64_t window, uint64_t key,
                     std::vector<TokenPair>& pairs);

/// The input vectors of skip-gram with negative sampling for the tokens of a text, after word2vec.c
/// (https://github.com/tmikolov/word2vec/tree/20c129af10659f7c50e86e3be406df663beff438), with an
/// exact logistic function and exact noise probabilities in place of its tables. Noise tokens are
/// drawn with probabilities proportional to count^0.75; one that equals the predicted token is
/// omitted. Input vectors start at U(-0.5, 0.5) / width, keyed by (seed, "vectors"), output vectors
/// at 0. Windows do not cross sentences. Special ids, the unknown token without the
/// option `unknown`, and ids that are not in the text have zero vectors and are neither predicted
/// nor drawn. All random numbers are functions of (seed, epoch,
/// sentence); with one thread the vectors are a function of options, seed and text.
class SkipGram : public Fitted, public WordVectors {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const SkipGramOptions&);
  SkipGram(const SkipGramOptions& options, const ModelInputs& inputs);

  /// Throws DataError for a text without tokens, Interrupted after a stop signal.
  void fit(const Inputs& inputs, const Notify& progress) override;
  at::Tensor vectors() const override { return vectors_; }

 private:
  SkipGramOptions options_;
  uint64_t seed_;
  Vocabulary vocabulary_;
  at::Tensor vectors_;  // [V, D]
};

}  // namespace lvtext
