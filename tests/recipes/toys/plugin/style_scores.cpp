// Scores of style, content and fluency of transferred text, and accuracy of the style classifier.
#include <algorithm>
#include <cmath>
#include <set>

#include "capabilities.h"
#include "columns.h"
#include "evaluators/evaluator.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/plugin.h"

namespace toys {

using namespace lvtext;

namespace {

Score mean_score(const std::string& id, std::vector<double> values) {
  return summarized({.id = id,
                     .direction = Direction::kHigher,
                     .signature = id + "|n_sentences:" + std::to_string(values.size()),
                     .rows = {"mean", 1, std::move(values)}});
}

/// 1 for each sentence that the classifier assigns to its style, or to the other one.
std::vector<double> right(const Inputs& inputs, const std::string& dataset, bool other) {
  const Dataset records = inputs.dataset(dataset);
  const Tokens sentences = pad_sentences(sentences_of(records, "text"));
  const at::Tensor styles = numbers_of(records, "style");
  const at::Tensor classes = other ? 1 - styles : styles;
  const at::Tensor guesses = inputs.serve<Classifier>("classifier").classify(sentences).argmax(1);
  return values_of(guesses.to(at::kCPU, at::kDouble).eq(classes));
}

InputDecl outputs_decl() {
  return {.name = "outputs",
          .help =
              "transferred texts, with their sources in the column source and the styles of "
              "these in the column style",
          .type = ArtifactType::kDataset,
          .by_default = reference("row.outputs")};
}

}  // namespace

/// "accuracy": the share of outputs that a classifier assigns to the style other than that of their
/// sources.
class StyleAccuracy : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit StyleAccuracy(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"accuracy", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {outputs_decl(),
            {.name = "classifier", .help = "classifier of styles", .type = ArtifactType::kModel}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    return {mean_score("accuracy", right(inputs, "outputs", /*other=*/true))};
  }
};

/// "accuracy": the share of records whose style a classifier predicts correctly.
class ClassifierAccuracy : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit ClassifierAccuracy(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"accuracy", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {
        {.name = "records", .help = "texts with the column style", .type = ArtifactType::kDataset},
        {.name = "classifier", .help = "classifier to evaluate", .type = ArtifactType::kModel}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    return {mean_score("accuracy", right(inputs, "records", /*other=*/false))};
  }
};

/// "similarity": twice the weight of the words that an output shares with its source, divided by
/// the weight of the words of both; the weights are those of a fitted model.
class Similarity : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit Similarity(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"similarity", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {outputs_decl(),
            {.name = "idf", .help = "weights of words", .type = ArtifactType::kModel}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const std::vector<double> idf = values_of(inputs.serve<WordVectors>("idf").vectors());
    const auto sources = sentences_of(inputs.dataset("outputs"), "source");
    const auto outputs = sentences_of(inputs.dataset("outputs"), "text");
    const auto weight = [&](const std::set<int32_t>& words) {
      double sum = 0;
      for (const int32_t word : words) sum += idf.at(static_cast<size_t>(word));
      return sum;
    };
    std::vector<double> values;
    for (size_t i = 0; i < sources.size(); ++i) {
      const std::set<int32_t> source(sources[i].begin(), sources[i].end());
      const std::set<int32_t> output(outputs[i].begin(), outputs[i].end());
      std::set<int32_t> shared;
      std::set_intersection(source.begin(), source.end(), output.begin(), output.end(),
                            std::inserter(shared, shared.end()));
      const double both = weight(source) + weight(output);
      values.push_back(both > 0 ? 2 * weight(shared) / both : 1);
    }
    return {mean_score("similarity", std::move(values))};
  }
};

/// "perplexity" of the outputs under a language model, EOS included.
class Perplexity : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit Perplexity(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"perplexity", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "outputs", .help = "texts to score", .by_default = reference("row.outputs")},
            {.name = "language_model",
             .help = "language model that scores",
             .type = ArtifactType::kModel,
             .capabilities = {TextScorer::kName}}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const auto ids = ids_for(inputs.model("language_model"), inputs.text("outputs"));
    const auto nats = sentence_nats(inputs.serve<TextScorer>("language_model"), ids, /*batch=*/64);
    std::vector<double> pairs;
    for (size_t i = 0; i < ids.size(); ++i) {
      pairs.push_back(nats[i]);
      pairs.push_back(static_cast<double>(ids[i].size()) + 1);
    }
    return {summarized({.id = "perplexity",
                        .direction = Direction::kLower,
                        .signature = "perplexity|n_sentences:" + std::to_string(ids.size()),
                        .rows = {"exp_ratio", 2, std::move(pairs)}})};
  }
};

/// log(N / n) for each token that n of N sentences contain; 0 for tokens that no sentence contains.
class Idf : public Fitted, public WordVectors {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const NoOptions&) {
    return {{.name = "data",
             .help = "texts in which words are counted",
             .by_default = reference("data.train")}};
  }
  Idf(const NoOptions&, const ModelInputs& inputs)
      : idf_(register_buffer("idf", at::zeros({inputs.vocabulary("data", "text").size}))) {}

  void fit(const Inputs& inputs, const Notify&) override {
    const Text& text = inputs.text("data");
    at::Tensor counts = at::zeros(idf_.sizes(), at::kDouble);
    double* count = counts.mutable_data_ptr<double>();
    for (const TokenIds& sentence : text.ids()) {
      for (const int32_t id : std::set<int32_t>(sentence.begin(), sentence.end())) count[id] += 1;
    }
    const auto all = static_cast<double>(text.size());
    idf_.copy_(at::where(counts > 0, at::log(all / counts.clamp_min(1)), at::zeros_like(counts)));
  }
  at::Tensor vectors() const override { return idf_; }

 private:
  at::Tensor idf_;  // [V]
};

void add_style_scores(Registries& registries) {
  add_evaluator<StyleAccuracy, NoOptions>(registries, "toy_style_accuracy",
                                          "Share of outputs in their target style", {});
  add_evaluator<ClassifierAccuracy, NoOptions>(registries, "toy_accuracy",
                                               "Accuracy of a style classifier", {});
  add_evaluator<Similarity, NoOptions>(registries, "toy_similarity",
                                       "Weighted overlap of outputs and their sources", {});
  add_evaluator<Perplexity, NoOptions>(registries, "toy_perplexity",
                                       "Perplexity of outputs under a language model", {});
  add_fit<Idf, NoOptions>(registries, "toy_idf", "Inverse document frequencies", {});
}

}  // namespace toys
