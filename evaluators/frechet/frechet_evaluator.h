// Fréchet distance between generated and real sentences, as vectors of a sentence encoder.
#pragma once

#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct FrechetOptions {
  int64_t samples = 10000;
  int64_t batch = 64;

  template <class V>
  void visit(V& v) {
    v.field("samples", samples,
            "maximum number of sentences; both sides use the same number, limited by the smaller "
            "side",
            in_range(2, kMaxSamples));
    v.field("batch", batch,
            "number of sentences encoded together; affects the score only if the encoder's vectors "
            "depend on the batch",
            in_range(1, kMaxTogether));
  }
};

/// Computes the scores of generated and real vectors of sentences or other `items`, [N, E] each:
/// "frechet" (the squared distance), "frechet_sqrt", "frechet_raw" (not clamped to 0), "floor" (the
/// expected distance between two samples of that size from the real vectors' Gaussian). N is at
/// least 2 and equal on both sides. `name` is the title of the first two scores and the prefix of
/// the signatures; `vectors` is the part of the signatures that describes the encoder.
std::vector<Score> frechet_scores(const std::string& name, const std::string& vectors,
                                  const at::Tensor& generated, const at::Tensor& real,
                                  const std::string& items = "sentences");

/// Fréchet distance between samples and real sentences, as vectors of a sentence encoder. Its title
/// is "fid" if the encoder has its authors' weights, otherwise "fd_" and the encoder's name; only
/// the former is comparable with published numbers.
class FrechetEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit FrechetEvaluator(const FrechetOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"frechet", "squared distance of the Gaussians fitted to both sides"},
            {"frechet_sqrt", "its square root"},
            {"frechet_raw", "the squared distance as computed, which rounding can make negative"},
            {"floor", "expected squared distance between two samples of real sentences"}};
  }
  /// Throws DataError if one side has fewer than two sentences.
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  FrechetOptions options_;
};

}  // namespace lvtext
