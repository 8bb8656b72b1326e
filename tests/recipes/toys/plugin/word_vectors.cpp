// Word vectors from counts: factorizes the same matrix as skip-gram with negative sampling.
#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/model/plugin.h"

namespace toys {

using namespace lvtext;

struct WordVectorsOptions {
  int64_t width = 6;
  int64_t window = 2;

  template <class V>
  void visit(V& v) {
    v.field("width", width, "width of the vectors", in_range(1, 4096));
    v.field("window", window, "number of words on either side that count as neighbors",
            at_least(1));
  }
};

/// Rows of U sqrt(S), U S V^T being the largest singular triplets of the positive pointwise mutual
/// information of neighboring words (Levy and Goldberg 2014). The largest entry of each column of U
/// is positive, which makes the signs unique.
class ToyWordVectors : public Fitted, public WordVectors {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const WordVectorsOptions&) {
    return {{.name = "data",
             .help = "texts in which words are counted",
             .by_default = reference("data.train")}};
  }

  ToyWordVectors(const WordVectorsOptions& options, const ModelInputs& inputs)
      : options_(options),
        vectors_(register_buffer(
            "vectors", at::zeros({inputs.vocabulary("data", "text").size, options.width}))) {}

  void fit(const Inputs& inputs, const Notify&) override {
    const int64_t size = vectors_.size(0);
    at::Tensor counts = at::zeros({size, size}, at::kDouble);
    auto count = counts.accessor<double, 2>();
    for (const TokenIds& sentence : inputs.text("data").ids()) {
      for (int64_t i = 0; i < std::ssize(sentence); ++i) {
        const int64_t end = std::min<int64_t>(std::ssize(sentence), i + options_.window + 1);
        for (int64_t j = i + 1; j < end; ++j) {
          const int32_t a = sentence[static_cast<size_t>(i)], b = sentence[static_cast<size_t>(j)];
          count[a][b] += 1;
          count[b][a] += 1;
        }
      }
    }
    const at::Tensor each = counts.sum(1, true).clamp_min(1);
    const at::Tensor total = counts.sum().clamp_min(1);
    const at::Tensor information = at::log((counts * total / (each * each.t())).clamp_min(1));
    // Symmetric: the singular values are the absolute eigenvalues.
    const auto [values, eigenvectors] = at::linalg_eigh(information);
    const int64_t width = std::min(options_.width, size);
    const at::Tensor order =
        values.abs().argsort(/*dim=*/0, /*descending=*/true).slice(0, 0, width);
    at::Tensor u = eigenvectors.index_select(1, order);
    const at::Tensor largest = u.gather(0, u.abs().argmax(0, true));
    u = u * at::where(largest < 0, -at::ones_like(largest), at::ones_like(largest));
    vectors_.slice(1, 0, width).copy_(u * values.index_select(0, order).abs().sqrt());
  }

  at::Tensor vectors() const override { return vectors_; }

 private:
  WordVectorsOptions options_;
  at::Tensor vectors_;  // [V, D]
};

void add_word_vectors(Registries& registries) {
  add_fit<ToyWordVectors, WordVectorsOptions>(registries, "toy_word_vectors",
                                              "Word vectors from counts of neighboring words",
                                              {"Levy and Goldberg 2014",
                                               "https://proceedings.neurips.cc/paper/2014/hash/"
                                               "feab05aa91085b7a8012516bc3533958-Abstract.html"});
}

}  // namespace toys
