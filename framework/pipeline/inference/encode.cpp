// Inference component `encode`: encodes sentences as vectors.
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
class Encode : public Inference {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kRowsOf = "text";
  explicit Encode(const EncodeOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "model",
             .help = "model that encodes the sentences",
             .type = ArtifactType::kModel,
             .by_default = reference("row.model"),
             .one_of = {Encoder::kName, SentenceEmbedder::kName}},
            {.name = "text",
             .help = "sentences to encode",
             .by_default = reference("data.test"),
             .column = options_.column}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    const std::vector<TokenIds> sentences = ids_for(model, inputs.text("text"));
    const at::Tensor vectors = vectors_of(inputs, sentences).to(at::kFloat).contiguous();
    // Readers reject a data set with non-finite numbers as damaged; report the cause here.
    if (!at::isfinite(vectors).all().item<bool>()) {
      throw DataError("an encoded vector is not finite: the model has diverged");
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
                        "' has no posterior to sample from; set `draw: false`");
    }
    const at::Tensor all = rows_of_batches(
        sentences, kDecodeBatch, [&](const Tokens& tokens) { return embedder.embed(tokens); });
    return all.defined() ? all : at::empty({0, embedder.embedding_size()});
  }

  EncodeOptions options_;
};

}  // namespace

void register_encode(Registries& registries) {
  add_inference<Encode, EncodeOptions>(registries, "encode", "Sentences encoded as vectors", {});
}

}  // namespace lvtext
