#include "evaluators/classifier_accuracy/classifier_accuracy_evaluator.h"

#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<InputDecl> ClassifierAccuracyEvaluator::inputs() const {
  return {{.name = "records",
           .help = "labeled texts",
           .type = ArtifactType::kDataset,
           .by_default = reference("data.test")},
          {.name = "classifier",
           .help = "classifier to evaluate",
           .type = ArtifactType::kModel,
           .by_default = reference("row.model"),
           .capabilities = {TextClassifier::kName}}};
}

std::vector<Score> ClassifierAccuracyEvaluator::evaluate(const Inputs& inputs) const {
  const ClassifiedTexts texts = classify_texts(inputs, "records", options_);
  std::vector<double> correct;
  for (size_t i = 0; i < texts.labels.size(); ++i) {
    correct.push_back(texts.predicted[i] == texts.labels[i] ? 1 : 0);
  }
  return accuracy_scores(texts, "classifier_accuracy", correct, kRevision);
}

void register_classifier_accuracy(Registries& registries) {
  add_evaluator<ClassifierAccuracyEvaluator, AccuracyOptions>(
      registries, "classifier_accuracy", "Accuracy of a text classifier on labeled texts", {});
}

}  // namespace lvtext
