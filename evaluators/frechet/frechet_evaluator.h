// How far a model's sentences are from real ones, as vectors of a sentence encoder.
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
            "sentences on each side; both sides take the smaller of this and what each has",
            in_range(2, kMostSamples));
    v.field("batch", batch,
            "sentences encoded together; counts where the encoder's vectors depend on the batch",
            in_range(1, kMostTogether));
  }
};

/// Scores of two sets of sentence vectors, [N, E] each, the first from a model, the second real:
/// "frechet" (the squared distance), "frechet_sqrt", "frechet_raw" (before it is kept from falling
/// below 0), "floor" (what two samples of that size from the real vectors' Gaussian are apart). N
/// is at least 2 and equal on both sides. `name` titles the first two and begins the signatures,
/// `vectors` tells there how the vectors were made.
std::vector<Score> frechet_scores(const std::string& name, const std::string& vectors,
                                  const at::Tensor& generated, const at::Tensor& real);

/// The Fréchet distance between samples and real sentences as vectors of a sentence encoder.
/// It is called "fid" where the encoder has its authors' weights, else "fd_" and the encoder's
/// name: only the former can be compared with published numbers.
class FrechetEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit FrechetEvaluator(const FrechetOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<std::string> score_ids() {
    return {"frechet", "frechet_sqrt", "frechet_raw", "floor"};
  }
  /// Throws DataError if one side has fewer than two sentences.
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  FrechetOptions options_;
};

}  // namespace lvtext
