// Score of the content of transferred text.
#include <algorithm>
#include <cmath>
#include <set>

#include "columns.h"
#include "evaluators/evaluator.h"
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

InputDecl outputs_decl() {
  return {.name = "outputs",
          .help =
              "transferred texts, with their sources in the column source and the styles of "
              "these in the column style",
          .type = ArtifactType::kDataset,
          .by_default = reference("row.outputs")};
}

}  // namespace

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
  add_evaluator<Similarity, NoOptions>(registries, "toy_similarity",
                                       "Weighted overlap of outputs and their sources", {});
  add_fit<Idf, NoOptions>(registries, "toy_idf", "Inverse document frequencies", {});
}

}  // namespace toys
