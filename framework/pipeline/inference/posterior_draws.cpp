// Inference component `posterior_draws`: samples from the posteriors of selected sentences.
#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct PosteriorDrawsOptions {
  int64_t sentences = 10;
  int64_t draws = 100;
  int64_t seed = 1;

  template <class V>
  void visit(V& v) {
    v.field("sentences", sentences, "number of sentences, selected at random by the seed",
            at_least(1));
    v.field("draws", draws, "number of samples from each sentence's posterior", at_least(1));
    v.field("seed", seed, "seed of the sentence selection and of the samples", at_least(0));
  }
};

/// Returns `count` of the indices below `size`, in the order of a shuffle by the seed.
std::vector<int64_t> chosen(int64_t size, int64_t count, int64_t seed) {
  const NoiseKey key{static_cast<uint64_t>(seed), 0, 0, noise_use("figure.sentences")};
  const std::vector<double> ranks = to_doubles(uniform(key, at::arange(size), {}, at::kDouble));
  std::vector<int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&ranks](int64_t a, int64_t b) { return ranks[a] < ranks[b]; });
  if (size > count) order.resize(count);
  return order;
}

/// Computes `points` [S * draws, Z] float64, grouped by sentence, and `sentence_ids` [S] int64, the
/// indices of the sentences in the text (all sentences, if the text has fewer than requested). A
/// draw depends only on (seed, sentence, draw index).
class PosteriorDraws : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kTensors;
  explicit PosteriorDraws(const PosteriorDrawsOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that encodes the sentences", {Encoder::kName}),
            {.name = "text", .help = "sentences to encode", .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    auto& encoder = inputs.serve<Encoder>("model");
    const auto sentences = ids_for(inputs.model("model"), inputs.text("text"));
    const std::vector<int64_t> ids =
        chosen(static_cast<int64_t>(sentences.size()), options_.sentences, options_.seed);
    if (ids.empty()) throw DataError("posterior_draws: the text has no sentences to encode");
    std::vector<TokenIds> rows;
    for (const int64_t id : ids) rows.push_back(sentences[id]);
    const Tokens tokens = pad_sentences(rows);
    const at::Tensor example_ids = at::tensor(ids, at::kLong);
    std::vector<at::Tensor> latents;
    for (int64_t draw = 0; draw < options_.draws; ++draw) {
      const NoiseKey key{static_cast<uint64_t>(options_.seed), static_cast<uint64_t>(draw), 0,
                         noise_use("figure.draws")};
      latents.push_back(encoder.encode_sampled(tokens, example_ids, key).to(at::kCPU, at::kDouble));
    }
    return {
        .tensors = {{"points", at::stack(latents, 1).flatten(0, 1)}, {"sentence_ids", example_ids}},
        .metadata = {{"sentences", ids.size()}, {"draws", options_.draws}}};
  }

 private:
  PosteriorDrawsOptions options_;
};

}  // namespace

void register_posterior_draws(Registries& registries) {
  add_inference<PosteriorDraws, PosteriorDrawsOptions>(
      registries, "posterior_draws", "Samples from the posteriors of randomly selected sentences",
      {});
}

}  // namespace lvtext
