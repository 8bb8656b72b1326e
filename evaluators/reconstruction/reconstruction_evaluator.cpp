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
  const std::vector<TokenIds> sentences = ids_for(model, inputs.text("text"));
  return cross_entropy_scores(
      "reconstruction|z:posterior_mean", model.tokenizer->sha256().substr(0, 8), sentences,
      reconstruction_nats(inputs.serve<Encoder>("model"), inputs.serve<TextScorer>("model"),
                          sentences, options_.batch),
      kRevision);
}

void register_reconstruction(Registries& registries) {
  add_evaluator<ReconstructionEvaluator, ReconstructionOptions>(
      registries, "reconstruction", "NLL of the test set given its own posterior means",
      {"Cifka, Severyn, Alfonseca and Filippova 2018", "https://arxiv.org/abs/1804.07972"});
}

}  // namespace lvtext
