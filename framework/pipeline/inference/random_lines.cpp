// Inference component `random_lines`: replaces each sentence by a random one of another data set.
#include <ATen/ATen.h>

#include <map>

#include "framework/core/datasets/batches.h"
#include "framework/core/model/registration.h"
#include "framework/core/tensor/philox.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/labeled_text.h"

namespace lvtext {
namespace {

struct RandomLinesOptions {
  int64_t seed = 0;
  std::optional<std::string> label_column;

  template <class V>
  void visit(V& v) {
    v.field("seed", seed, "seed of the random selection", at_least(0));
    v.field("label_column", label_column,
            "label column of both data sets: draws sentences of other classes than the source's, "
            "such as `style`; unset: draws from all sentences",
            not_empty());
  }
};

/// Draws one sentence of `from` for each sentence of a data set, uniformly and independently, as
/// the output of a system that ignores its input (a baseline). A draw is a function of the seed and
/// of the sentence's index. The result has the labels of the replaced sentences.
class RandomLines : public Inference {
 public:
  static constexpr int kRevision = 4;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "data";
  explicit RandomLines(const RandomLinesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "data",
             .help = "sentences to replace; labels are passed on",
             .type = ArtifactType::kDataset,
             .by_default = reference("data.test")},
            {.name = "from",
             .help = "sentences to draw from",
             .type = options_.label_column ? ArtifactType::kDataset : ArtifactType::kText,
             .by_default = reference("data.train")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Text from = options_.label_column ? sentences_of(inputs, "from") : inputs.text("from");
    const Text replaced = sentences_of(inputs, "data");
    const auto n = static_cast<int64_t>(replaced.size());
    // All texts of a result have the same tokenizer.
    const auto tokenizer = replaced.shared_tokenizer();
    const bool is_same_tokenizer = from.tokenizer()->sha256() == tokenizer->sha256();
    // Without a label, each sentence is of class 0 and may be replaced by all, which are of
    // class 1.
    const at::Tensor classes = options_.label_column
                                   ? labels_of(inputs.dataset("data"), *options_.label_column)
                                   : at::zeros({n}, at::kLong);
    const at::Tensor drawn_classes = options_.label_column
                                         ? labels_of(inputs.dataset("from"), *options_.label_column)
                                         : at::ones({std::ssize(from.ids())}, at::kLong);
    std::map<int64_t, at::Tensor> candidates;  // rows of `from`, by the class of the sentence
    std::vector<TokenIds> drawn;
    std::vector<std::string> lines;
    for (int64_t i = 0; i < n; ++i) {
      const auto own = classes[i].item<int64_t>();
      const auto [found, is_new] = candidates.try_emplace(own);
      at::Tensor& rows = found->second;
      if (is_new) rows = at::nonzero(drawn_classes.ne(own)).squeeze(1);
      check_candidates(rows, own);
      // 64 random bits per draw: uniform() has 24, too few for a text of millions of sentences.
      const uint64_t bits = mix_bits(static_cast<uint64_t>(options_.seed), static_cast<uint64_t>(i),
                                     noise_use("use.random_lines"));
      const auto draw = static_cast<int64_t>(bits % static_cast<uint64_t>(rows.size(0)));
      const auto row = rows[draw].item<int64_t>();
      drawn.push_back(is_same_tokenizer ? from.ids()[row] : tokenizer->encode(from.lines()[row]));
      lines.push_back(from.lines()[row]);
    }
    return {.text = Text(std::move(lines), std::move(drawn), tokenizer),
            .columns = source_columns(inputs, "data"),
            .metadata = {{"count", n}}};
  }

 private:
  void check_candidates(const at::Tensor& rows, int64_t own) const {
    if (rows.size(0) > 0) return;
    throw DataError("random_lines: the input `from` has no sentences to draw" +
                    (options_.label_column ? " for class " + std::to_string(own) + " of '" +
                                                 *options_.label_column + "': all are of this class"
                                           : ""));
  }

  RandomLinesOptions options_;
};

}  // namespace

void register_random_lines(Registries& registries) {
  add_inference<RandomLines, RandomLinesOptions>(
      registries, "random_lines",
      "Random sentences of another data set (baseline that ignores its input)", {});
}

}  // namespace lvtext
