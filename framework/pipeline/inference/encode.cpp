// Inference component `encode`: encodes sentences as vectors.
#include <ATen/ATen.h>

#include "framework/core/decoding/decoder.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/decoding/sentence_vectors.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/shared/vector_column.h"

namespace lvtext {
namespace {

struct EncodeOptions {
  std::string column;
  std::string name = "embedding";
  bool draw = false;
  int64_t seed = 0, first = 0;

  template <class V>
  void visit(V& v) {
    v.field(
        "column", column,
        "text column to encode; a ragged column gives one vector for each text of a row; unset: "
        "the text of the data set");
    v.field("name", name, "name of the output column", not_empty());
    v.field("draw", draw, "sample each posterior instead of taking its mean");
    v.field("seed", seed, "seed of the posterior samples", at_least(0));
    v.field("first", first, "index of the first sentence; random draws depend on the index",
            at_least(0));
  }
};

/// Computes a column of vectors [D] float32, one for each sentence: the mean of its posterior or a
/// sample from it, or the sentence embedding if the model has no posterior.
class Encode : public Inference, public KnownColumns {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kRowsOf = "text";
  explicit Encode(const EncodeOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that encodes the sentences", {}, {},
                        {Encoder::kName, SentenceEmbedder::kName}),
            {.name = "text",
             .help = "sentences to encode",
             .by_default = reference("data.test"),
             .column = options_.column}};
  }

  FieldTypes columns() const override { return vector_type(options_.name); }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    const std::vector<TokenIds> sentences = ids_for(model, inputs.text("text"));
    const at::Tensor vectors =
        options_.draw ? drawn(inputs, sentences) : sentence_vectors(model, sentences, kDecodeBatch);
    return {.columns = {vector_column(options_.name, vectors, inputs.rows("text"))},
            .metadata = {{"count", sentences.size()}}};
  }

 private:
  at::Tensor drawn(const Inputs& inputs, const std::vector<TokenIds>& sentences) const {
    const LoadedModel& model = inputs.model("model");
    auto* encoder = dynamic_cast<Encoder*>(model.model.get());
    if (encoder == nullptr) {
      throw ConfigError("'" + model.component +
                        "' has no posterior to sample from; set `draw: false`");
    }
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.encode")};
    const at::Tensor vectors =
        posterior_draws(*encoder, sentences, kDecodeBatch, key, options_.first).contiguous();
    check_finite_vectors(vectors);
    return vectors;
  }

  EncodeOptions options_;
};

}  // namespace

void register_encode(Registries& registries) {
  add_inference<Encode, EncodeOptions>(registries, "encode", "Sentences encoded as vectors", {});
}

}  // namespace lvtext
