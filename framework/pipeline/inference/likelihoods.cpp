// Inference component `likelihoods`: log-likelihoods of sentences under a model.
#include <ATen/ATen.h>

#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

/// Computes `nats` [N] float64, the negative log-likelihood of each sentence, EOS included if texts
/// of the model end, given its posterior mean if the model has an encoder, and `tokens` [N] int64,
/// the number of tokens of this likelihood.
class Likelihoods : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kTensors;
  explicit Likelihoods(const NoOptions&) {}

  std::vector<InputDecl> inputs() const override {
    return {
        model_input("model that scores the sentences", {TextScorer::kName}, {VectorDecoder::kName}),
        {.name = "text", .help = "sentences to score", .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    auto& scores = inputs.serve<TextScorer>("model");
    auto* encodes = dynamic_cast<Encoder*>(model.model.get());
    const auto sentences = ids_for(model, inputs.text("text"));
    const std::vector<double> nats =
        encodes ? reconstruction_nats(*encodes, scores, sentences, kDecodeBatch)
                : sentence_nats(scores, sentences, kDecodeBatch);
    std::vector<int64_t> tokens;
    for (const auto& sentence : sentences) {
      tokens.push_back(scored_tokens(scores, std::ssize(sentence)));
    }
    return {.tensors = {{"nats", at::tensor(nats, at::kDouble)},
                        {"tokens", at::tensor(tokens, at::kLong)}}};
  }
};

}  // namespace

void register_likelihoods(Registries& registries) {
  add_inference<Likelihoods, NoOptions>(
      registries, "likelihoods",
      "Negative log-likelihoods of sentences under a model; of a model with an encoder, those of "
      "reconstruction from the posterior mean, which are lower",
      {});
}

}  // namespace lvtext
