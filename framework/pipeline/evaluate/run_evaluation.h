// Evaluation of a trained model from its run folder, without a recipe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/core/options/generation.h"
#include "framework/pipeline/evaluate/evaluator_scores.h"
#include "framework/pipeline/store/trained_run.h"

namespace lvtext {

struct RunEvaluationOptions {
  std::vector<std::string> evaluators;  ///< empty: all applicable ones
  std::string split = "test";           ///< split that is read: test or valid
  int64_t samples = 0;                  ///< maximum number of samples per evaluator; 0: no limit
  int64_t seed = 0;                     ///< seed of the samples
  int64_t max_length = GenerationOptions{}.max_length;  ///< maximum number of decoded tokens
};

/// Scores a run with the default options of each evaluator; samples and reconstructions are
/// generated as in a recipe. A failing evaluator does not stop the others. Throws UsageError for a
/// named evaluator that is unknown or not applicable, and the exceptions of split_of_run().
EvaluatorScores evaluate_run(const TrainedRun& run, const Registries& registries,
                             const RunEvaluationOptions& options,
                             const std::function<void(const std::string&)>& progress = {});

}  // namespace lvtext
