// Probe of sentence embeddings, and comparison of decoded text with its reference.
#include "columns.h"
#include "evaluators/evaluator.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/batch.h"
#include "framework/core/model/plugin.h"

namespace toys {

using namespace lvtext;

/// "accuracy" of the nearest class mean: the predicted label is the one whose training sentences
/// have the mean embedding nearest to that of the sentence. The label is the only class column.
class NearestMean : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit NearestMean(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"accuracy", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "encoder",
             .help = "encoder of the sentences",
             .type = ArtifactType::kModel,
             .capabilities = {SentenceEmbedder::kName}},
            {.name = "train",
             .help = "sentences with their label, from which the means are computed",
             .type = ArtifactType::kDataset},
            {.name = "test", .help = "labeled test sentences", .type = ArtifactType::kDataset}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    auto& encoder = inputs.serve<SentenceEmbedder>("encoder");
    const auto embedded = [&](const Dataset& dataset) {
      return encoder.embed(pad_sentences(sentences_of(dataset, "text"))).to(at::kCPU, at::kDouble);
    };
    const Dataset train = inputs.dataset("train");
    const Dataset test = inputs.dataset("test");
    const at::Tensor vectors = embedded(train);
    const at::Tensor labels = labels_of(train);
    std::vector<at::Tensor> means;
    for (int64_t label = 0; label < label_of(train).decl().classes; ++label) {
      const at::Tensor own = labels.eq(label).to(at::kDouble).unsqueeze(1);
      means.push_back((vectors * own).sum(0) / own.sum().clamp_min(1));
    }
    const at::Tensor distances =
        (embedded(test).unsqueeze(1) - at::stack(means).unsqueeze(0)).square().sum(2);
    std::vector<double> right = values_of(distances.argmin(1).eq(labels_of(test)));
    return {summarized({.id = "accuracy",
                        .direction = Direction::kHigher,
                        .signature = "probe|n_sentences:" + std::to_string(right.size()),
                        .rows = {"mean", 1, std::move(right)}})};
  }

 private:
  static const DatasetColumn& label_of(const Dataset& dataset) {
    for (const DatasetColumn& column : dataset.columns()) {
      if (column.decl().kind == ColumnKind::kLabel) return column;
    }
    throw DataError("the probe requires a column of labels; the dataset has " +
                    join(dataset.names()));
  }
  static at::Tensor labels_of(const Dataset& dataset) {
    return numbers_of(dataset, label_of(dataset).decl().name);
  }
};

/// "same": the share of outputs that are equal to their reference.
class Identity : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit Identity(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"same", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {
        {.name = "outputs", .help = "decoded sentences", .by_default = reference("row.outputs")},
        {.name = "references", .help = "encoded sentences"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const auto outputs = inputs.text("outputs").lines();
    const auto references = inputs.text("references").lines();
    std::vector<double> same;
    for (size_t i = 0; i < outputs.size(); ++i) {
      same.push_back(outputs[i] == references[i] ? 1 : 0);
    }
    return {summarized({.id = "same",
                        .direction = Direction::kHigher,
                        .signature = "identity|n_sentences:" + std::to_string(same.size()),
                        .rows = {"mean", 1, std::move(same)}})};
  }
};

void add_probe(Registries& registries) {
  add_evaluator<NearestMean, NoOptions>(registries, "toy_probe",
                                        "Accuracy of the nearest class mean on embeddings", {});
  add_evaluator<Identity, NoOptions>(registries, "toy_identity", "Outputs equal to their reference",
                                     {});
}

}  // namespace toys
