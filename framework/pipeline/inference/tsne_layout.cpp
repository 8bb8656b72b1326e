// Inference component `tsne_layout`: two-dimensional t-SNE embedding of posterior samples.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/tsne.h"

namespace lvtext {
namespace {

struct TsneLayoutOptions {
  double perplexity = TsneOptions{}.perplexity;
  int64_t iterations = TsneOptions{}.iterations;
  double learning_rate = TsneOptions{}.learning_rate;
  int64_t seed = 1;

  template <class V>
  void visit(V& v) {
    v.field("perplexity", perplexity, "effective number of neighbors, below the number of points",
            at_least(1));
    v.field("iterations", iterations, "number of iterations; the first 250 use early exaggeration",
            at_least(1));
    v.field("learning_rate", learning_rate, "learning rate of gradient descent", above(0));
    v.field("seed", seed, "seed of the initial layout", at_least(0));
  }
};

/// Embeds the output of posterior_draws by t-SNE: `layout` [S * draws, 2] float64 and
/// `sentence_ids` [S] int64. Throws ConfigError if the number of points does not exceed the
/// perplexity, DataError if a latent vector is not finite.
class TsneLayout : public Inference {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kTensors;
  explicit TsneLayout(const TsneLayoutOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "draws", .help = "points to embed", .type = ArtifactType::kTensors}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const at::Tensor points = inputs.tensors("draws").at("points");
    const at::Tensor ids = inputs.tensors("draws").at("sentence_ids");
    const int64_t n = points.size(0);
    if (static_cast<double>(n) <= options_.perplexity) {
      throw ConfigError("t-SNE has " + std::to_string(n) + " points of " +
                        std::to_string(ids.numel()) + " sentences; perplexity " +
                        format_number(options_.perplexity) +
                        " must be less than the number of points");
    }
    if (!at::isfinite(points).all().item<bool>()) {
      throw DataError("a latent vector is not finite: the model has diverged");
    }
    const std::span values(points.const_data_ptr<double>(), points.numel());
    const TsneOptions tsne_options{options_.perplexity, options_.iterations,
                                   options_.learning_rate};
    const std::vector<double> plane = tsne(values, n, tsne_options, tsne_start(n, options_.seed));
    if (!std::all_of(plane.begin(), plane.end(), [](double each) { return std::isfinite(each); })) {
      throw Error(Exit::kSomeFailed,
                  "t-SNE diverged: a coordinate is not finite; reduce the learning_rate (" +
                      format_number(options_.learning_rate) + ")");
    }
    return {
        .tensors = {{"layout", at::tensor(plane, at::kDouble).view({n, 2})}, {"sentence_ids", ids}},
        .metadata = {
            {"points", n},
            {"divergence", tsne_divergence(similarities(values, n, options_.perplexity), plane)}}};
  }

 private:
  TsneLayoutOptions options_;
};

}  // namespace

void register_tsne_layout(Registries& registries) {
  add_inference<TsneLayout, TsneLayoutOptions>(
      registries, "tsne_layout", "Two-dimensional t-SNE embedding of points",
      {"van der Maaten and Hinton 2008", "https://jmlr.org/papers/v9/vandermaaten08a.html"});
}

}  // namespace lvtext
