// Accuracy of the classes that a text classifier assigns, shared by evaluators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/limits.h"
#include "framework/core/model/inputs.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct AccuracyOptions {
  std::string label = "style";
  int64_t batch = 256;

  template <class V>
  void visit(V& v) {
    v.field("label", label, "label column with the classes", not_empty());
    v.field("batch", batch, "number of sentences classified together; does not affect the score",
            in_range(1, kMaxTogether));
  }
};

/// Texts with a label and the class that a classifier assigns to them.
struct ClassifiedTexts {
  int64_t classes = 0;                ///< number of classes of the classifier
  std::vector<int64_t> labels;        ///< value of the label column
  std::vector<int64_t> predicted;     ///< most probable class, the first of equally probable ones
  std::vector<double> probabilities;  ///< row-major [N, classes]
  std::vector<double> empty;          ///< 1 for a text without tokens, which is classified as well
  std::string signature;              ///< "classifier:1a2b3c4d|label:style"
};

/// Classifies the column "text" of the dataset input `texts` by the model input "classifier", which
/// may have another tokenizer. Throws DataError if the dataset lacks the text or label column,
/// ConfigError if the label has more classes than the classifier.
ClassifiedTexts classify_texts(const Inputs& inputs, const std::string& texts,
                               const AccuracyOptions& options);

/// "accuracy", the mean of `correct` (1 or 0 for each text); for two classes also "accuracy_0" and
/// "accuracy_1", the means over the texts with this label, unless there are none. `name` starts the
/// signatures, `version` ends them.
std::vector<Score> accuracy_scores(const ClassifiedTexts& texts, const std::string& name,
                                   const std::vector<double>& correct, int version);

/// A score with this id: the mean of `values`, one for each of the texts.
Score mean_over_texts(const ClassifiedTexts& texts, const std::string& name, const std::string& id,
                      Direction direction, std::vector<double> values, int version);

}  // namespace lvtext
