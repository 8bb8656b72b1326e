#include "evaluators/embedding_size/embedding_size_evaluator.h"

#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<InputDecl> EmbeddingSizeEvaluator::inputs() const {
  return {{.name = "encoder",
           .help = "model that encodes sentences",
           .type = ArtifactType::kModel,
           .by_default = reference("row.model"),
           .one_of = {Encoder::kName, SentenceEmbedder::kName}}};
}

std::vector<Score> EmbeddingSizeEvaluator::evaluate(const Inputs& inputs) const {
  const LoadedModel& model = inputs.model("encoder");
  const auto* encoder = dynamic_cast<const Encoder*>(model.model.get());
  const int64_t size =
      encoder ? encoder->latent_size() : inputs.serve<SentenceEmbedder>("encoder").embedding_size();
  return {{.id = "size",
           .value = static_cast<double>(size),
           .n = 1,
           .signature = "embedding_size|model:" + model.component +
                        "|version:" + std::to_string(kRevision)}};
}

void register_embedding_size(Registries& registries) {
  add_evaluator<EmbeddingSizeEvaluator, NoOptions>(
      registries, "embedding_size", "Number of values of an encoder's sentence vectors", {});
}

}  // namespace lvtext
