// Inference component `random_lines`: replaces each sentence by a random one of another text.
#include "framework/core/data/batches.h"
#include "framework/core/model/registration.h"
#include "framework/core/tensor/philox.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct RandomLinesOptions {
  int64_t seed = 0;

  template <class V>
  void visit(V& v) {
    v.field("seed", seed, "seed of the random selection", at_least(0));
  }
};

/// Draws one sentence of `from` for each sentence of a text, uniformly and independently, as the
/// output of a system that ignores its input (a baseline). A draw is a function of the seed and of
/// the sentence's index.
class RandomLines : public Inference {
 public:
  static constexpr int kRevision = 3;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "text";
  explicit RandomLines(const RandomLinesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "text", .help = "sentences to replace", .by_default = reference("data.test")},
            {.name = "from",
             .help = "text that sentences are drawn from",
             .by_default = reference("data.train")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Text &text = inputs.text("text"), &from = inputs.text("from");
    if (from.empty()) throw DataError("random_lines: the input `from` has no sentences to draw");
    // 64 random bits per draw: uniform() has 24, too few for a text of millions of sentences.
    const auto seed = static_cast<uint64_t>(options_.seed);
    const auto count = static_cast<int64_t>(text.size());
    std::vector<TokenIds> drawn;
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t bits = mix_bits(seed, static_cast<uint64_t>(i), noise_use("use.random_lines"));
      drawn.push_back(from.ids()[bits % from.size()]);
    }
    return {.text = Text(std::move(drawn), from.shared_tokenizer()),
            .columns = {{.decl = {.name = "source"}, .text = text}},
            .metadata = {{"count", count}}};
  }

 private:
  RandomLinesOptions options_;
};

}  // namespace

void register_random_lines(Registries& registries) {
  add_inference<RandomLines, RandomLinesOptions>(
      registries, "random_lines",
      "Random sentences of another text (baseline that ignores its input)", {});
}

}  // namespace lvtext
