// Whether drawn chest radiographs show the findings of their captions.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"
#include "framework/core/sources/synthcxr.h"

namespace lvtext {

/// The scores of images that show `seen`, several for each caption, by the attributes of the
/// captions. Ids that begin with "next_" compare with the attributes of the next row (of the first
/// for the last row): what images reach that ignore their captions. Statistics per caption.
std::vector<Score> attribute_scores(const std::vector<ChestAttributes>& captions,
                                    const std::vector<std::vector<ChestReading>>& seen);

/// Reads 15 attributes from drawn images (framework/core/sources/synthcxr.h) and compares them with
/// those of the records.
class SynthcxrAttributesEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit SynthcxrAttributesEvaluator(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  /// Throws DataError if images and records differ in their number.
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
