// Inference component `nearest_lines`: the sentence with the nearest vector among given ones.
#include <ATen/ATen.h>

#include <limits>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/vector_column.h"

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
  std::string column = "embedding";
  int64_t rank = 1;
  bool others = false;

  template <class V>
  void visit(V& v) {
    v.field("by", by, "which vector is nearest");
    v.field("column", column, "column of vectors of both data sets", not_empty());
    v.field("rank", rank, "1 for the nearest sentence, 2 for the next one, ...", at_least(1));
    v.field("others", others,
            "leaves out the sentence with the row's own number, where both data sets are one");
  }
};

/// For the first vector of each row, the sentence of `from` whose first vector is nearest; of
/// equally near ones, the first. A vector of zeros has the cosine 0 to all.
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
             .type = ArtifactType::kDataset},
            {.name = "text",
             .help = "the sentences of `from`, of each row the first (unset: its column text)",
             .arity = InputDecl::Arity::kOptional}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    constexpr int64_t kTogether = 256;
    const at::Tensor queries = read(inputs, "embeddings"), known = read(inputs, "from");
    if (queries.size(1) != known.size(1)) {
      throw ConfigError("nearest_lines: the vectors of `embeddings` have width " +
                        std::to_string(queries.size(1)) + ", those of `from` " +
                        std::to_string(known.size(1)));
    }
    if (options_.rank > known.size(0) - (options_.others ? 1 : 0)) {
      throw DataError("nearest_lines: `rank` is " + std::to_string(options_.rank) +
                      ", and `from` has " + format_count(known.size(0), "sentence") +
                      (options_.others ? ", one of which is left out" : ""));
    }
    const Text text = inputs.has("text") ? inputs.text("text") : inputs.text("from", "text");
    const std::vector<int64_t> rows =
        inputs.has("text") ? inputs.rows("text") : std::vector<int64_t>();
    const int64_t count = rows.empty() ? std::ssize(text.lines()) : std::ssize(rows) - 1;
    if (count != known.size(0)) {
      throw DataError("nearest_lines: `text` has " + format_count(count, "row") +
                      ", and `from` has " + std::to_string(known.size(0)));
    }
    // Of |x - y|^2 = |x|^2 - 2 x y + |y|^2 the first term is the same for all candidates.
    const at::Tensor squares =
        options_.by == Nearness::kEuclidean ? known.square().sum(1) * -0.5 : at::Tensor();
    std::vector<std::string> lines;
    std::vector<TokenIds> ids;
    for (int64_t from = 0; from < queries.size(0); from += kTogether) {
      at::Tensor nearness = at::mm(queries.slice(0, from, from + kTogether), known.t());
      if (squares.defined()) nearness.add_(squares);
      if (options_.others) nearness.diagonal(from).fill_(kLeftOut);
      const at::Tensor best = of_rank(nearness);
      for (int64_t i = 0; i < best.size(0); ++i) {
        const auto row = best[i].item<int64_t>();
        const auto line = static_cast<size_t>(rows.empty() ? row : rows[row]);
        lines.push_back(text.lines()[line]);
        if (text.has_ids()) ids.push_back(text.ids()[line]);
      }
    }
    return {.text = text.has_ids() ? Text(std::move(lines), std::move(ids), text.shared_tokenizer())
                                   : Text(std::move(lines)),
            .metadata = {{"count", queries.size(0)}, {"among", known.size(0)}}};
  }

 private:
  static constexpr float kLeftOut = -std::numeric_limits<float>::infinity();

  at::Tensor read(const Inputs& inputs, const std::string& input) const {
    at::Tensor vectors = vector_items(inputs.dataset(input), options_.column, OfRow::kFirst).values;
    if (options_.by == Nearness::kEuclidean) return vectors;
    return vectors / vectors.norm(2, {1}, /*keepdim=*/true).clamp_min(1e-12);
  }

  /// The column with the `rank`-th largest value of each row, [B]; overwrites larger ones.
  at::Tensor of_rank(at::Tensor& nearness) const {
    at::Tensor best = nearness.argmax(1);
    for (int64_t rank = 1; rank < options_.rank; ++rank) {
      nearness.scatter_(1, best.unsqueeze(1), kLeftOut);
      best = nearness.argmax(1);
    }
    return best;
  }

  NearestLinesOptions options_;
};

}  // namespace

void register_nearest_lines(Registries& registries) {
  add_inference<NearestLines, NearestLinesOptions>(
      registries, "nearest_lines", "The sentence with the nearest vector (lower bound)", {});
}

}  // namespace lvtext
