// Sentences of one text in the place of those of another.
#include <ATen/ATen.h>

#include "framework/inference/inference.h"
#include "framework/model/registries.h"
#include "framework/tensor/philox.h"

namespace lvtext {
namespace {

struct RandomLinesOptions {
  int64_t seed = 0;

  template <class V>
  void visit(V& v) {
    v.field("seed", seed, "of the draws", at_least(0));
  }
};

/// For each sentence of a text one of `from`, drawn uniformly and independently: the output of a
/// system that ignores its input. The draw is a function of the seed and of the sentence's number.
class RandomLines : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  explicit RandomLines(const RandomLinesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "text", .help = "the sentences", .by_default = reference("data.test")},
            {.name = "from",
             .help = "the text from which sentences are drawn",
             .by_default = reference("data.train")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Text &text = inputs.text("text"), &from = inputs.text("from");
    if (from.empty()) throw DataError("random_lines: there is no sentence to draw");
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.random_lines")};
    const auto count = static_cast<int64_t>(text.size());
    const at::Tensor places =
        (uniform(key, at::arange(count), {}, at::kDouble) * static_cast<double>(from.size()))
            .floor()
            .to(at::kLong)
            .clamp_max(static_cast<int64_t>(from.size()) - 1);
    std::vector<TokenIds> drawn;
    for (int64_t i = 0; i < count; ++i) drawn.push_back(from.ids()[places[i].item<int64_t>()]);
    return {.text = Text(std::move(drawn), from.shared_tokenizer()),
            .columns = {{.decl = {.name = "source"}, .text = text}},
            .facts = {{"count", count}}};
  }

 private:
  RandomLinesOptions options_;
};

}  // namespace

void register_random_lines(Registries& registries) {
  add_inference<RandomLines, RandomLinesOptions>(
      registries, "random_lines", "Sentences of one text in the place of those of another", {});
}

}  // namespace lvtext
