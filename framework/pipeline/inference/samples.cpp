// Inference component `samples`: samples sentences from a model.
#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/decoding/sampling.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/decoding_options.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct SamplesOptions : DecodingFields {
  int64_t count = 10000;

  template <class V>
  void visit(V& v) {
    v.field("count", count, "number of sentences", at_least(1));
    DecodingFields::visit(v);
  }
};

/// Computes sentences `first` to `first + count - 1` of the sequence defined by the model, seed and
/// policy. By default, samples from the prior are decoded greedily; a model without a prior uses
/// ancestral sampling.
class Samples : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  explicit Samples(const SamplesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that generates the sentences", {NextTokenModel::kName},
                        {StyleTransfer::kName, VectorDecoder::kName})};
  }

  Inferred run(const Inputs& inputs, const Notify& progress) const override {
    auto& decoder = inputs.serve<NextTokenModel>("model");
    const LoadedModel& model = inputs.model("model");
    auto* prior = dynamic_cast<PriorSampler*>(model.model.get());
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);
    const DecodeOptions decoding = options_.decoding(sampling_policy(prior != nullptr));
    std::vector<TokenIds> sentences;
    int64_t cut_off = 0;
    const int64_t together = 8 * kDecodeBatch;
    for (int64_t done = 0; done < options_.count; done += together) {
      Decoded decoded =
          sample_sentences(decoder, prior, options_.first + done,
                           std::min(options_.count - done, together), options_.seed, decoding);
      for (auto& sentence : decoded.sentences) sentences.push_back(std::move(sentence));
      cut_off += decoded.cut_off;
      progress(std::to_string(sentences.size()) + "/" + format_count(options_.count, "sentence"));
    }
    const bool is_usual = options_.policy.empty();
    return {.text = Text(std::move(sentences), model.tokenizer),
            .metadata = {{"count", options_.count},
                         {"cut_off", cut_off},
                         {"policy", !is_usual ? options_.policy
                                    : prior   ? "greedy"
                                              : "ancestral"}}};
  }

 private:
  SamplesOptions options_;
};

}  // namespace

void register_samples(Registries& registries) {
  add_inference<Samples, SamplesOptions>(registries, "samples", "Sentences sampled from a model",
                                         {});
}

}  // namespace lvtext
