// Scores of a trained model without a recipe: what its own run folder is enough for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/generation.h"
#include "framework/pipeline/nodes/trained_run.h"

namespace lvtext {

struct RunEvaluationOptions {
  std::vector<std::string> evaluators;  ///< empty: all that fit
  std::string split = "test";           ///< or "valid"
  int64_t samples = 0;                  ///< caps what each evaluator asks for; 0: no cap
  int64_t seed = 0;                     ///< of the samples
  int64_t max_length = GenerationOptions{}.max_length;  ///< maximum number of decoded tokens
};

struct RunScores {
  struct Scored {
    std::string evaluator;
    std::vector<Score> scores;
  };
  struct LeftOut {
    std::string evaluator;
    std::string reason;
  };
  std::vector<Scored> scored;
  std::vector<LeftOut> left_out;  ///< evaluators that do not fit this model or need more than it
  std::vector<LeftOut> failed;    ///< evaluators that threw, with their message
};

/// Scores a run with each evaluator's default options, samples and reconstructions made as a recipe
/// makes them. An evaluator that fails does not stop the others. Throws UsageError if one was asked
/// for by name that cannot be served, ConfigError for an unknown name, and what split_of_run
/// throws.
RunScores evaluate_run(const TrainedRun& run, const Registries& registries,
                       const RunEvaluationOptions& options,
                       const std::function<void(const std::string&)>& progress = {});

}  // namespace lvtext
