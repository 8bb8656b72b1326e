// Published pairwise judgments of transferred sentences.
#pragma once

#include <filesystem>
#include <span>

#include "framework/pipeline/rating/answers.h"

namespace lvtext {

/// Judgments as the ratings of a sheet: one item and one rater for each judgment.
struct PairwiseJudgments {
  SheetKey key;
  Ratings ratings;
};

/// Reads JSON lines in the form published by Pang and Gimpel 2019: `model1` and `model2`, the
/// sentences `ori_sent`, `sent1` and `sent2`, and `style_better`, `content_better` and
/// `lang_better`, each 1, 2 or -1 (a tie). Other keys are ignored; a sentence may be a bare NaN,
/// which is an empty text. `kind` must have the aspects style, content and fluency. Each pair of
/// models is a group, in the order of its first judgment; judgments of the other order are
/// converted. Throws as for_each_line() does, and DataError with file and line for an invalid line.
PairwiseJudgments read_pairwise_judgments(std::span<const std::filesystem::path> files,
                                          const SheetKind& kind);

}  // namespace lvtext
