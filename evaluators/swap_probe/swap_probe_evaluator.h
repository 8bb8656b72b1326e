// Whether images follow the order of the words of their captions.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"
#include "framework/core/sources/synthcxr.h"

namespace lvtext {

/// Rows 2i and 2i+1 are the captions of a pair with the same words (set synthcxr-swaps), drawn with
/// the same noise: one names an opacity in a zone and a nodule in another, the other the
/// kinds exchanged. A representation that ignores the order of words gives both captions one
/// vector, so that their images are equal and at most one of them can be right.
class SwapProbeEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit SwapProbeEvaluator(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"zone", "share of images with the opacity in its zone and none in the nodule's"},
            {"exact", "share of images with exactly the findings of their caption"},
            {"equal_vectors", "share of pairs whose captions have bit-identical vectors"}};
  }
  /// Throws DataError if the rows are not such pairs or have no embeddings.
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
