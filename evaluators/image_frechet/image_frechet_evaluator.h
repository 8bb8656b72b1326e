// Fréchet and kernel distance between drawn and real images, as vectors of features.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/core/options/options.h"

namespace lvtext {

enum class ImageVectors { kSynthcxr, kModel };

inline const std::vector<EnumName<ImageVectors>>& enum_names(ImageVectors) {
  static const std::vector<EnumName<ImageVectors>> names = {
      {"synthcxr", ImageVectors::kSynthcxr,
       "15 brightnesses of regions of a chest radiograph, from which findings are read"},
      {"model", ImageVectors::kModel, "those of the model of the input `model`"}};
  return names;
}

struct ImageFrechetOptions {
  ImageVectors features = ImageVectors::kSynthcxr;
  int64_t images = 10000;
  int64_t batch = 64;

  template <class V>
  void visit(V& v) {
    v.field("features", features, "vectors that are compared");
    v.field("images", images,
            "maximum number of images; all sides use the same number, limited by the smallest side",
            in_range(2, kMaxSamples));
    v.field(
        "batch", batch,
        "maximum number of images whose vectors are computed together; affects the score only if "
        "the model's vectors depend on the batch",
        in_range(1, kMaxTogether));
  }
};

/// Distances of the first drawn image of each row to real images and, as what real images reach,
/// of other real images to the same. The values are not those of published tables, whose features
/// are those of a network trained on photographs.
class ImageFrechetEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit ImageFrechetEvaluator(const ImageFrechetOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"frechet", "squared distance of the Gaussians fitted to both sides"},
            {"frechet_sqrt", "its square root"},
            {"frechet_raw", "the squared distance as computed, which rounding can make negative"},
            {"floor", "expected squared distance between two samples of real images"},
            {"kernel", "unbiased squared kernel distance (polynomial kernel of degree 3)"},
            {"other_frechet", "squared distance of other real images"},
            {"other_kernel", "unbiased squared kernel distance of other real images"}};
  }
  /// Throws DataError if one side has fewer than two images.
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  ImageFrechetOptions options_;
};

}  // namespace lvtext
