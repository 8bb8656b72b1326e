// Inference component `interpolations`: decodes sentences along paths in latent space.
#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/decoding/latent_path.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/model/latent_space.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/decoding_options.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct InterpolationsOptions : DecodingFields {
  int64_t pairs = 0;
  int64_t steps = 7;

  template <class V>
  void visit(V& v) {
    v.field("pairs", pairs, "number of sentence pairs, from the start of the text; 0: all",
            at_least(0));
    v.field("steps", steps, "number of sentences per pair, including both endpoints",
            in_range(2, 10000));
    DecodingFields::visit(v);
  }
};

/// Interpolates in latent space. Sentences 2k and 2k + 1 form pair k; for each pair, `steps`
/// sentences are decoded along the path between the two posterior means (codes_between). All steps
/// of a pair use the same noise, so that under sampling only z changes the text.
class Interpolations : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  explicit Interpolations(const InterpolationsOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that encodes and decodes the sentences",
                        {Encoder::kName, NextTokenModel::kName}),
            {.name = "text",
             .help = "sentences; each two consecutive ones form a pair",
             .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    const Text& text = inputs.text("text");
    int64_t count = static_cast<int64_t>(text.size()) / 2;
    if (options_.pairs > 0) count = std::min(count, options_.pairs);
    std::vector<TokenIds> sentences;
    if (count > 0) {
      std::optional<PrecisionScope> precision;
      if (options_.precision) precision.emplace(*options_.precision);
      const at::Tensor ends = posterior_means(inputs.serve<Encoder>("model"),
                                              ids_for(model, text.first(2 * count)), kDecodeBatch);
      std::vector<at::Tensor> ways;
      for (int64_t k = 0; k < count; ++k) {
        ways.push_back(latents_between(ends[2 * k], ends[2 * k + 1], options_.steps,
                                       latents_on_unit_sphere(*model.model)));
      }
      const at::Tensor numbers = at::arange(options_.first, options_.first + count, at::kLong)
                                     .repeat_interleave(options_.steps);
      const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.interpolate")};
      sentences = decode(inputs.serve<NextTokenModel>("model"),
                         at::cat(ways).to(model.model->parameters().front().device()), numbers, key,
                         options_.decoding(PolicyOptions{}))
                      .sentences;
    }
    return {.text = Text(std::move(sentences), model.tokenizer), .metadata = {{"pairs", count}}};
  }

 private:
  InterpolationsOptions options_;
};

}  // namespace

void register_interpolations(Registries& registries) {
  add_inference<Interpolations, InterpolationsOptions>(
      registries, "interpolations", "Interpolations between two sentences in latent space", {});
}

}  // namespace lvtext
