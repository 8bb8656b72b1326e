// Inference component `swap_vectors`: gives each row the vector of another one.
#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/decoding/vector_rows.h"
#include "framework/core/model/registration.h"
#include "framework/core/tensor/philox.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct SwapVectorsOptions {
  std::string column = "embedding";
  int64_t seed = 0;

  template <class V>
  void visit(V& v) {
    v.field("column", column, "column of vectors, one for each row", not_empty());
    v.field("seed", seed, "seed of the order", at_least(0));
  }
};

/// The vectors of a column, each row's replaced by that of the next row in a random cyclic order,
/// so that none keeps its own: a lower bound for models that read vectors. Throws DataError for
/// fewer than two rows.
class SwapVectors : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kRowsOf = "data";
  explicit SwapVectors(const SwapVectorsOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "data",
             .help = "data set with a column of vectors, such as the output of `encode`",
             .type = ArtifactType::kDataset}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const at::Tensor vectors = vector_rows(inputs.dataset("data"), options_.column, "swap_vectors");
    const int64_t n = vectors.size(0);
    if (n < 2) throw DataError("swap_vectors: there is no other row to take a vector from");
    std::vector<uint64_t> keys;
    for (int64_t i = 0; i < n; ++i) {
      keys.push_back(mix_bits(static_cast<uint64_t>(options_.seed), static_cast<uint64_t>(i),
                              noise_use("use.swap_vectors")));
    }
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
    std::vector<int64_t> source(order.size());
    for (size_t i = 0; i < order.size(); ++i) source[order[i]] = order[(i + 1) % order.size()];
    const at::Tensor swapped = vectors.index_select(0, at::tensor(source, at::kLong));
    return {.columns = {vector_column(options_.column, swapped)}, .metadata = {{"count", n}}};
  }

 private:
  SwapVectorsOptions options_;
};

}  // namespace

void register_swap_vectors(Registries& registries) {
  add_inference<SwapVectors, SwapVectorsOptions>(
      registries, "swap_vectors", "The vector of another row for each row (lower bound)", {});
}

}  // namespace lvtext
