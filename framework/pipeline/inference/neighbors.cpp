// Inference component `neighbors`: nearest sentences in latent space.
#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/latent_space.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/nearest.h"

namespace lvtext {

std::vector<Neighbor> nearest_rows(const at::Tensor& latents, int64_t from, int64_t count,
                                   bool on_unit_sphere) {
  const at::Tensor distances =
      on_unit_sphere ? 1 - latents.mv(latents[from]) : (latents - latents[from]).norm(2, 1);
  const std::vector<double> values = to_doubles(distances);
  std::vector<Neighbor> all;
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    if (i != from) all.push_back({i, values[i]});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Neighbor& a, const Neighbor& b) { return a.distance < b.distance; });
  if (static_cast<int64_t>(all.size()) > count) all.resize(count);
  return all;
}

namespace {

struct NeighborsOptions {
  int64_t sentences = 3;
  int64_t count = 5;

  template <class V>
  void visit(V& v) {
    v.field("sentences", sentences,
            "number of sentences, from the start of the text, to find neighbors of", at_least(1));
    v.field("count", count, "number of neighbors per sentence", at_least(1));
  }
};

/// Computes `neighbors` [S, K] int64 and `distances` [S, K] float64: for each of the first S
/// sentences, the K sentences with the nearest posterior means (nearest_rows).
class Neighbors : public Inference {
 public:
  static constexpr int kRevision = 3;
  static constexpr ArtifactType kGives = ArtifactType::kTensors;
  explicit Neighbors(const NeighborsOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that encodes the sentences", {Encoder::kName}),
            {.name = "text", .help = "sentences to search", .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    const auto sentences = ids_for(model, inputs.text("text"));
    const auto size = static_cast<int64_t>(sentences.size());
    const int64_t rows = std::min(options_.sentences, size);
    const int64_t count = std::min(options_.count, std::max<int64_t>(size - 1, 0));
    const at::Tensor near = at::empty({rows, count}, at::kLong);
    const at::Tensor distances = at::empty({rows, count}, at::kDouble);
    if (rows > 0) {
      const at::Tensor latents =
          posterior_means(inputs.serve<Encoder>("model"), sentences, kDecodeBatch).to(at::kDouble);
      for (int64_t i = 0; i < rows; ++i) {
        const auto list = nearest_rows(latents, i, count, latents_on_unit_sphere(*model.model));
        for (int64_t k = 0; k < count; ++k) {
          near[i][k] = list[k].sentence;
          distances[i][k] = list[k].distance;
        }
      }
    }
    return {.tensors = {{"neighbors", near}, {"distances", distances}},
            .metadata = {{"sentences", rows}, {"among", size}}};
  }

 private:
  NeighborsOptions options_;
};

}  // namespace

void register_neighbors(Registries& registries) {
  add_inference<Neighbors, NeighborsOptions>(registries, "neighbors",
                                             "Nearest sentences in latent space", {});
}

}  // namespace lvtext
