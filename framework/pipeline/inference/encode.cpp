// Latent vectors of sentences.
#include <ATen/ATen.h>

#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct EncodeOptions {
  std::string column;
  std::string name = "embedding";
  bool draw = false;
  int64_t seed = 0, first = 0;

  template <class V>
  void visit(V& v) {
    v.field("column", column,
            "column of texts; a ragged one gives one vector for each text of a row; unset: the "
            "text of the data");
    v.field("name", name, "name of the resulting column", not_empty());
    v.field("draw", draw, "samples from each posterior instead of using its mean");
    v.field("seed", seed, "seed of the samples", at_least(0));
    v.field("first", first, "index of the first sentence, which determines its sample",
            at_least(0));
  }
};

/// A column of vectors [D] float32, one for each sentence: the mean of its posterior, or a draw of
/// it; of a model without a posterior the sentence's embedding.
class Encode : public Inference {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kRowsOf = "text";
  explicit Encode(const EncodeOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "model",
             .help = "encoder",
             .type = ArtifactType::kModel,
             .by_default = reference("row.model"),
             .one_of = {Encoder::kName, SentenceEmbedder::kName}},
            {.name = "text",
             .help = "sentences",
             .by_default = reference("data.test"),
             .column = options_.column}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    const std::vector<TokenIds> sentences = ids_for(model, inputs.text("text"));
    const at::Tensor vectors = vectors_of(inputs, sentences).to(at::kFloat).contiguous();
    // A dataset with such numbers could not be read, and would seem damaged.
    if (!at::isfinite(vectors).all().item<bool>()) {
      throw DataError("a vector is not finite: the model has diverged");
    }
    InferredColumn column{
        .decl = {.name = options_.name, .kind = ColumnKind::kVector, .shape = {vectors.size(1)}},
        .values = vectors,
        .rows = inputs.rows("text")};
    column.decl.ragged = !column.rows.empty();
    return {.columns = {std::move(column)}, .metadata = {{"count", sentences.size()}}};
  }

 private:
  at::Tensor vectors_of(const Inputs& inputs, const std::vector<TokenIds>& sentences) const {
    if (auto* encoder = dynamic_cast<Encoder*>(inputs.model("model").model.get())) {
      const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.encode")};
      return options_.draw ? posterior_draws(*encoder, sentences, kDecodeBatch, key, options_.first)
                           : posterior_means(*encoder, sentences, kDecodeBatch);
    }
    auto& embedder = inputs.serve<SentenceEmbedder>("model");
    if (options_.draw) {
      throw ConfigError("'" + inputs.model("model").component +
                        "' has no posterior, which `draw` requires");
    }
    const at::Tensor all = rows_of_batches(
        sentences, kDecodeBatch, [&](const Tokens& tokens) { return embedder.embed(tokens); });
    return all.defined() ? all : at::empty({0, embedder.embedding_size()});
  }

  EncodeOptions options_;
};

}  // namespace

void register_encode(Registries& registries) {
  add_inference<Encode, EncodeOptions>(registries, "encode", "Latent vectors of sentences", {});
}

}  // namespace lvtext
