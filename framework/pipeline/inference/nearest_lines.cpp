// Inference component `nearest_lines`: the sentence with the nearest vector among given ones.
#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/decoding/vector_rows.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

enum class Nearness { kCosine, kEuclidean };
const std::vector<EnumName<Nearness>>& enum_names(Nearness) {
  static const std::vector<EnumName<Nearness>> names = {
      {"cosine", Nearness::kCosine, "largest cosine"},
      {"euclidean", Nearness::kEuclidean, "smallest Euclidean distance"}};
  return names;
}

struct NearestLinesOptions {
  Nearness by = Nearness::kCosine;
  std::string column;

  template <class V>
  void visit(V& v) {
    v.field("by", by, "which vector is nearest");
    v.field("column", column, "column of vectors of both data sets; unset: the only one");
  }
};

/// For each vector, the sentence of `from` whose vector is nearest; of equally near ones, one of
/// them: a lower bound for decoders of vectors. A vector of zeros has the cosine 0 to all.
class NearestLines : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "embeddings";
  explicit NearestLines(const NearestLinesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "embeddings",
             .help = "data set with a column of vectors, such as the output of `encode`",
             .type = ArtifactType::kDataset},
            {.name = "from",
             .help = "sentences with their vectors, such as [news.train, embeddings.train]",
             .type = ArtifactType::kDataset}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    constexpr int64_t kTogether = 256;
    const at::Tensor wanted = read(inputs, "embeddings"), known = read(inputs, "from");
    if (wanted.size(1) != known.size(1)) {
      throw ConfigError("nearest_lines: the vectors of `embeddings` have width " +
                        std::to_string(wanted.size(1)) + ", those of `from` " +
                        std::to_string(known.size(1)));
    }
    if (known.size(0) == 0) throw DataError("nearest_lines: `from` has no sentences");
    const Text text = inputs.text("from", "text");
    // Of |x - y|^2 = |x|^2 - 2 x y + |y|^2 the first term is the same for all candidates.
    const at::Tensor squares =
        options_.by == Nearness::kEuclidean ? known.square().sum(1) * -0.5 : at::Tensor();
    std::vector<std::string> lines;
    std::vector<TokenIds> ids;
    for (int64_t from = 0; from < wanted.size(0); from += kTogether) {
      at::Tensor nearness = at::mm(wanted.slice(0, from, from + kTogether), known.t());
      if (squares.defined()) nearness.add_(squares);
      const at::Tensor best = nearness.argmax(1);
      for (int64_t i = 0; i < best.size(0); ++i) {
        const auto row = best[i].item<int64_t>();
        lines.push_back(text.lines()[row]);
        ids.push_back(text.ids()[row]);
      }
    }
    const auto count = lines.size();
    return {.text = Text(std::move(lines), std::move(ids), text.shared_tokenizer()),
            .metadata = {{"count", count}, {"among", known.size(0)}}};
  }

 private:
  at::Tensor read(const Inputs& inputs, const std::string& input) const {
    const at::Tensor vectors = vector_rows(inputs.dataset(input), options_.column, "nearest_lines");
    if (options_.by == Nearness::kEuclidean) return vectors;
    return vectors / vectors.norm(2, {1}, /*keepdim=*/true).clamp_min(1e-12);
  }

  NearestLinesOptions options_;
};

}  // namespace

void register_nearest_lines(Registries& registries) {
  add_inference<NearestLines, NearestLinesOptions>(
      registries, "nearest_lines", "The sentence with the nearest vector (lower bound)", {});
}

}  // namespace lvtext
