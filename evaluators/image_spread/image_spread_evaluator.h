// Variation of drawn images: over captions, and over noise.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct ImageSpreadOptions {
  int64_t images = 256;
  double collapsed = 0.25;

  template <class V>
  void visit(V& v) {
    v.field("images", images,
            "maximum number of images of each side; both sides use the same number, limited by the "
            "smaller side",
            in_range(2, 100000));
    v.field("collapsed", collapsed, "spread below which a generator has collapsed", in_range(0, 1));
  }
};

/// Spread of images: mean over pixels of the standard deviation of a pixel over images.
class ImageSpreadEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit ImageSpreadEvaluator(const ImageSpreadOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"spread", "spread of the first images of different rows, relative to real images"},
            {"collapsed", "1 if the spread is below `collapsed`, else 0"},
            {"noise_spread", "mean spread of the images of one caption, relative to real images"}};
  }
  /// Throws DataError if one side has fewer than two images.
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  ImageSpreadOptions options_;
};

}  // namespace lvtext
