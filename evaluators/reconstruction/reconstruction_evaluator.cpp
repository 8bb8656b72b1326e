#include "evaluators/reconstruction/reconstruction_evaluator.h"

#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<InputDecl> ReconstructionEvaluator::inputs() const {
  return {{.name = "model",
           .help = "model that encodes and decodes the text",
           .type = ArtifactType::kModel,
           .by_default = reference("row.model"),
           .capabilities = {Encoder::kName, TextScorer::kName}},
          {.name = "text", .help = "text to score", .by_default = reference("data.test")}};
}

std::vector<Score> ReconstructionEvaluator::evaluate(const Inputs& inputs) const {
  const LoadedModel& model = inputs.model("model");
  const Text& text = inputs.text("text");
  const std::vector<TokenIds> sentences = ids_for(model, text);
  const auto nats = reconstruction_nats(
      inputs.serve<Encoder>("model"), inputs.serve<TextScorer>("model"), sentences, options_.batch);
  return cross_entropy_scores("reconstruction|z:posterior_mean",
                              scored_text(model, text, sentences, nats), kRevision);
}

void register_reconstruction(Registries& registries) {
  add_evaluator<ReconstructionEvaluator, ReconstructionOptions>(
      registries, "reconstruction", "NLL of the test set given its own posterior means",
      {"Cifka, Severyn, Alfonseca and Filippova 2018", "https://arxiv.org/abs/1804.07972"});
}

}  // namespace lvtext
