// The codes of sentences.
#include <ATen/ATen.h>

#include "framework/decoding/over_sentences.h"
#include "framework/inference/inference.h"
#include "framework/model/registries.h"

namespace lvtext {
namespace {

struct CodesOptions {
  bool draw = false;
  int64_t seed = 0, first = 0;

  template <class V>
  void visit(V& v) {
    v.field("draw", draw, "a draw of each posterior instead of its mean");
    v.field("seed", seed, "of the draws", at_least(0));
    v.field("first", first, "number of the first sentence, on which its draw depends", at_least(0));
  }
};

/// `codes` [N, Z] float32: the mean of each sentence's posterior, or a draw of it.
class Codes : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kTensors;
  explicit Codes(const CodesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "model",
             .help = "what encodes",
             .type = ArtifactType::kModel,
             .by_default = reference("row.model"),
             .capabilities = {Encodes::kName}},
            {.name = "text", .help = "the sentences", .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    auto& encoder = inputs.serve<Encodes>("model");
    const auto sentences = ids_for(inputs.model("model"), inputs.text("text"));
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.encode")};
    const at::Tensor codes =
        options_.draw ? posterior_draws(encoder, sentences, kDecodeBatch, key, options_.first)
                      : posterior_means(encoder, sentences, kDecodeBatch);
    return {.tensors = {{"codes", codes.to(at::kFloat).contiguous()}}};
  }

 private:
  CodesOptions options_;
};

}  // namespace

void register_codes(Registries& registries) {
  add_inference<Codes, CodesOptions>(registries, "codes", "The latent codes of sentences", {});
}

}  // namespace lvtext
