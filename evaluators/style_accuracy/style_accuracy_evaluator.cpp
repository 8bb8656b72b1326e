#include "evaluators/style_accuracy/style_accuracy_evaluator.h"

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<InputDecl> StyleAccuracyEvaluator::inputs() const {
  return {{.name = "outputs",
           .help = "transferred texts, with the label of their sources",
           .type = ArtifactType::kDataset,
           .by_default = reference("row.outputs")},
          {.name = "classifier",
           .help = "classifier of the styles",
           .type = ArtifactType::kModel,
           .capabilities = {TextClassifier::kName}}};
}

std::vector<Score> StyleAccuracyEvaluator::evaluate(const Inputs& inputs) const {
  const ClassifiedTexts texts = classify_texts(inputs, "outputs", options_);
  const std::string classes = "the classifier has " + std::to_string(texts.classes) + " classes";
  if (!options_.target && texts.classes != 2) {
    throw ConfigError("style_accuracy: " + classes +
                      ": set `target` to the index of the class that the outputs should have");
  }
  if (options_.target && *options_.target >= texts.classes) {
    throw ConfigError("style_accuracy: target " + std::to_string(*options_.target) +
                      " is not an index of a class: " + classes);
  }
  std::vector<double> correct, probability;
  for (size_t i = 0; i < texts.labels.size(); ++i) {
    const int64_t target = options_.target.value_or(1 - texts.labels[i]);
    correct.push_back(texts.predicted[i] == target ? 1 : 0);
    probability.push_back(texts.probabilities[i * texts.classes + target]);
  }
  const std::string name =
      "style_accuracy|target:" + (options_.target ? std::to_string(*options_.target) : "other");
  std::vector<Score> scores = accuracy_scores(texts, name, correct, kRevision);
  scores.push_back(mean_over_texts(texts, name, "probability", Direction::kHigher,
                                   std::move(probability), kRevision));
  scores.push_back(
      mean_over_texts(texts, name, "empty", Direction::kLower, texts.empty, kRevision));
  return scores;
}

void register_style_accuracy(Registries& registries) {
  add_evaluator<StyleAccuracyEvaluator, StyleAccuracyOptions>(
      registries, "style_accuracy",
      "Share of transferred texts that a classifier assigns to their target style",
      {"Pang and Gimpel 2019", "https://aclanthology.org/D19-5614"});
}

}  // namespace lvtext
