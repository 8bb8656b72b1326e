// An evaluator and an inference component in a plug-in: the number of words of a text, and the text
// with its tokens reversed.
#include <algorithm>

#include "evaluators/evaluator.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/plugin.h"
#include "framework/pipeline/inference/inference.h"

namespace example {

using namespace lvtext;

struct WordCountOptions {
  int64_t samples = 100;

  template <class V>
  void visit(V& v) {
    v.field("samples", samples, "number of sentences to count, from the first on", at_least(1));
  }
};

/// "words": the mean number of words of a sentence.
class WordCount : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit WordCount(const WordCountOptions& options) : options_(options) {}
  static std::vector<ScoreDecl> scores() { return {{"words", ""}}; }

  std::vector<InputDecl> inputs() const override {
    return {{.name = "text",
             .help = "text whose words are counted",
             .by_default = reference("row.samples"),
             .rows = options_.samples}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const Text text = inputs.text("text").first(options_.samples);
    std::vector<double> counts;
    for (const auto& line : text.lines()) {
      counts.push_back(static_cast<double>(std::count(line.begin(), line.end(), ' ') + 1));
    }
    return {summarized({.id = "words",
                        .unit = "words",
                        .signature = "word_count|n_sentences:" + std::to_string(counts.size()),
                        .rows = {"mean", 1, std::move(counts)}})};
  }

 private:
  WordCountOptions options_;
};

/// Each of the model's samples with its tokens in reverse order.
class Backwards : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  explicit Backwards(const NoOptions&) {}

  std::vector<InputDecl> inputs() const override {
    return {
        {.name = "text", .help = "text to be reversed", .by_default = reference("row.samples")}};
  }
  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Text& text = inputs.text("text");
    std::vector<TokenIds> sentences(text.ids().begin(), text.ids().end());
    for (TokenIds& sentence : sentences) std::reverse(sentence.begin(), sentence.end());
    return {.text = Text(std::move(sentences), text.shared_tokenizer())};
  }
};

void add_word_count(Registries& registries) {
  add_evaluator<WordCount, WordCountOptions>(registries, "word_count", "Words of a sentence", {});
  add_inference<Backwards, NoOptions>(registries, "backwards", "Samples read backwards", {});
}

}  // namespace example
