#include "evaluators/senteval/encoder_input.h"

#include <ATen/ATen.h>

#include "framework/core/decoding/sentence_vectors.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {
namespace {

constexpr const char* kEncoder = "encoder";

}  // namespace

InputDecl encoder_input() {
  return {.name = kEncoder,
          .help = "model that encodes the sentences",
          .type = ArtifactType::kModel,
          .by_default = reference("row.model"),
          .one_of = {Encoder::kName, SentenceEmbedder::kName}};
}

at::Tensor encoder_vectors(const Inputs& inputs, const std::vector<std::string>& texts,
                           int64_t batch) {
  const LoadedModel& model = inputs.model(kEncoder);
  std::vector<TokenIds> ids;
  for (const std::string& text : texts) ids.push_back(model.tokenizer->encode(text));
  return sentence_vectors(model, ids, batch);
}

std::string encoder_signature(const Inputs& inputs) {
  const LoadedModel& model = inputs.model(kEncoder);
  const auto* embedder = dynamic_cast<const SentenceEmbedder*>(model.model.get());
  return "|model:" + model.component + "|weights:" + model.identity +
         (embedder ? "|" + embedder->embedding_signature() : "");
}

}  // namespace lvtext
