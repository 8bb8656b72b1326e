#include "evaluators/reconstruction/reconstruction_evaluator.h"

#include "framework/decoding/over_sentences.h"

namespace lvtext {

std::vector<Score> ReconstructionEvaluator::evaluate(const EvalInputs& inputs) const {
  return cross_entropy_scores(
      "reconstruction|z:posterior_mean", inputs.pieces, inputs.test,
      reconstruction_nats(*inputs.encodes, *inputs.scores_text, inputs.test, options_.batch),
      inputs.bootstrap);
}

}  // namespace lvtext
