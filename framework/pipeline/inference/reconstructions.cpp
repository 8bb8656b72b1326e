// Inference component `reconstructions`: encodes sentences and decodes them again.
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/decoding_options.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

/// Decodes each sentence from its posterior mean, greedily by default.
class Reconstructions : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "text";
  explicit Reconstructions(const DecodingFields& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that encodes and decodes the sentences",
                        {Encoder::kName, NextTokenModel::kName}),
            {.name = "text", .help = "sentences to encode", .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    const std::vector<TokenIds> sentences = ids_for(model, inputs.text("text"));
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.reconstruct")};
    Decoded decoded =
        reconstruct(inputs.serve<Encoder>("model"), inputs.serve<NextTokenModel>("model"),
                    sentences, options_.decoding(PolicyOptions{}), key, options_.first);
    return {.text = Text(std::move(decoded.sentences), model.tokenizer),
            .metadata = {{"count", sentences.size()}, {"cut_off", decoded.cut_off}}};
  }

 private:
  DecodingFields options_;
};

}  // namespace

void register_reconstructions(Registries& registries) {
  add_inference<Reconstructions, DecodingFields>(
      registries, "reconstructions", "Reconstructions of sentences from their posterior means", {});
}

}  // namespace lvtext
