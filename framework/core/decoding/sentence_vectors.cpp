#include "framework/core/decoding/sentence_vectors.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {

void check_finite_vectors(const at::Tensor& vectors) {
  if (at::isfinite(vectors).all().item<bool>()) return;
  throw DataError("an encoded vector is not finite: the model has diverged");
}

at::Tensor sentence_vectors(const LoadedModel& model, std::span<const TokenIds> sentences,
                            int64_t batch) {
  at::Tensor vectors;
  if (auto* encoder = dynamic_cast<Encoder*>(model.model.get())) {
    vectors = posterior_means(*encoder, sentences, batch);
  } else {
    auto& embedder = capability_of<SentenceEmbedder>(model);
    const at::Tensor all = rows_of_batches(
        sentences, batch, [&](const Tokens& tokens) { return embedder.embed(tokens); });
    vectors = all.defined() ? all : at::empty({0, embedder.embedding_size()});
  }
  vectors = vectors.to(at::kFloat).contiguous();
  check_finite_vectors(vectors);
  return vectors;
}

}  // namespace lvtext
