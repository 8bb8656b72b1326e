#include "evaluators/reconstruction/reconstruction_evaluator.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/decoding/vector_rows.h"
#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<InputDecl> ReconstructionEvaluator::inputs() const {
  return {model_input("model that encodes and decodes the text", {TextScorer::kName}, {},
                      {Encoder::kName, VectorDecoder::kName}),
          {.name = "text", .help = "text to score", .by_default = reference("data.test")},
          {.name = "embeddings",
           .help = "one vector for each sentence, in place of its posterior mean; for models that "
                   "decode given vectors, such as the output of `encode`",
           .type = ArtifactType::kDataset,
           .arity = InputDecl::Arity::kOptional,
           .aligned_with = "text"}};
}

namespace {

/// NLL of the sentences given the vectors of the input "embeddings".
std::vector<double> given_nats(const Inputs& inputs, std::span<const TokenIds> sentences,
                               int64_t batch) {
  const LoadedModel& model = inputs.model("model");
  const at::Tensor vectors = vector_rows(inputs.dataset("embeddings"), {}, "reconstruction");
  const auto* decoder = dynamic_cast<VectorDecoder*>(model.model.get());
  const int64_t expected =
      decoder != nullptr ? decoder->vector_size() : inputs.serve<Encoder>("model").latent_size();
  if (vectors.size(1) != expected) {
    throw ConfigError("reconstruction: the vectors of `embeddings` have width " +
                      std::to_string(vectors.size(1)) + ", but '" + model.component +
                      "' decodes vectors of width " + std::to_string(expected));
  }
  auto& scorer = inputs.serve<TextScorer>("model");
  at::Tensor nats = at::empty({std::ssize(sentences)}, at::kDouble);
  for_each_batch(sentences, batch, [&](const Tokens& tokens, const at::Tensor& indices) {
    nats.index_copy_(
        0, indices,
        scorer.score(tokens, vectors.index_select(0, indices)).to(at::kCPU, at::kDouble));
  });
  return to_doubles(nats);
}

}  // namespace

std::vector<Score> ReconstructionEvaluator::evaluate(const Inputs& inputs) const {
  const LoadedModel& model = inputs.model("model");
  const Text& text = inputs.text("text");
  const std::vector<TokenIds> sentences = ids_for(model, text);
  if (inputs.has("embeddings")) {
    return cross_entropy_scores(
        "reconstruction|z:given",
        scored_text(model, text, sentences, given_nats(inputs, sentences, options_.batch)),
        kRevision);
  }
  if (dynamic_cast<Encoder*>(model.model.get()) == nullptr) {
    throw ConfigError("reconstruction: '" + model.component +
                      "' decodes given vectors; give the input `embeddings`");
  }
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
