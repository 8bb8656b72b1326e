#include "evaluators/senteval/sentence_vectors.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/over_sentences.h"

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

at::Tensor sentence_vectors(const Inputs& inputs, const std::vector<std::string>& texts,
                            int64_t batch) {
  const LoadedModel& model = inputs.model(kEncoder);
  std::vector<TokenIds> ids;
  for (const std::string& text : texts) ids.push_back(model.tokenizer->encode(text));
  at::Tensor vectors;
  if (auto* encoder = dynamic_cast<Encoder*>(model.model.get())) {
    vectors = posterior_means(*encoder, ids, batch);
  } else {
    auto& embedder = inputs.serve<SentenceEmbedder>(kEncoder);
    vectors =
        rows_of_batches(ids, batch, [&](const Tokens& tokens) { return embedder.embed(tokens); });
  }
  vectors = vectors.to(at::kFloat);
  if (at::isfinite(vectors).all().item<bool>()) return vectors;
  throw DataError("a sentence vector is not finite: the model has diverged");
}

std::string encoder_signature(const Inputs& inputs) {
  const LoadedModel& model = inputs.model(kEncoder);
  const auto* embedder = dynamic_cast<const SentenceEmbedder*>(model.model.get());
  return "|model:" + model.component + "|weights:" + model.identity +
         (embedder ? "|" + embedder->embedding_signature() : "");
}

}  // namespace lvtext
