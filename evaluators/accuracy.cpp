#include "evaluators/accuracy.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {
namespace {

std::vector<int64_t> labels_of(const Dataset& dataset, const std::string& texts,
                               const std::string& label) {
  const std::vector<std::string> names = dataset.names();
  const auto found = std::find(names.begin(), names.end(), label);
  if (found == names.end() || dataset.column(label).decl().kind != ColumnKind::kLabel ||
      dataset.column(label).decl().ragged) {
    throw DataError("the dataset of the input '" + texts + "' has no label column '" + label +
                    "'; its columns are " + join(names) + ". Join a column of the same records (" +
                    texts + ": [row.outputs, DATA.SPLIT." + label + "]), or with eval --outputs " +
                    "give --column " + label + "=FILE");
  }
  const DatasetColumn& column = dataset.column(label);
  std::vector<int64_t> labels(static_cast<size_t>(column.size()));
  for (int64_t row = 0; row < column.size(); ++row) column.copy(row, 0, &labels[row]);
  return labels;
}

}  // namespace

ClassifiedTexts classify_texts(const Inputs& inputs, const std::string& texts,
                               const AccuracyOptions& options) {
  const Dataset dataset = inputs.dataset(texts);
  const LoadedModel& model = inputs.model("classifier");
  auto& classifier = inputs.serve<TextClassifier>("classifier");
  ClassifiedTexts result{.classes = classifier.classes(),
                         .labels = labels_of(dataset, texts, options.label),
                         .signature = "classifier:" + model.identity + "|label:" + options.label};
  const int64_t classes = dataset.column(options.label).decl().classes;
  if (classes > result.classes) {
    throw ConfigError("the label column '" + options.label + "' has " + std::to_string(classes) +
                      " classes, but the classifier '" + model.component + "' has " +
                      std::to_string(result.classes) + "; use a classifier trained on this label");
  }
  const std::vector<TokenIds> sentences = ids_for(model, inputs.text(texts, "text"));
  for (const TokenIds& sentence : sentences) result.empty.push_back(sentence.empty() ? 1 : 0);
  const at::Tensor scores = rows_of_batches(
      sentences, options.batch, [&](const Tokens& tokens) { return classifier.classify(tokens); });
  if (!scores.defined()) return result;
  // The largest log-probability, because rounding in exp can make two classes equal.
  const at::Tensor predicted = scores.argmax(1);
  const auto* first_class = predicted.const_data_ptr<int64_t>();
  result.predicted.assign(first_class, first_class + predicted.numel());
  const at::Tensor probabilities = scores.exp().to(at::kDouble);
  const auto* first = probabilities.const_data_ptr<double>();
  result.probabilities.assign(first, first + probabilities.numel());
  return result;
}

Score mean_over_texts(const ClassifiedTexts& texts, const std::string& name, const std::string& id,
                      Direction direction, std::vector<double> values, int version) {
  const std::string count = std::to_string(values.size());
  return summarized({.id = id,
                     .direction = direction,
                     .signature = name + "|" + texts.signature + "|score:" + id +
                                  "|n_sentences:" + count + "|version:" + std::to_string(version),
                     .rows = {"mean", 1, std::move(values)}});
}

std::vector<Score> accuracy_scores(const ClassifiedTexts& texts, const std::string& name,
                                   const std::vector<double>& correct, int version) {
  LVT_ASSERT(correct.size() == texts.labels.size(), "one number per text");
  std::vector<Score> scores = {
      mean_over_texts(texts, name, "accuracy", Direction::kHigher, correct, version)};
  if (texts.classes != 2) return scores;
  for (const int64_t label : {0, 1}) {
    std::vector<double> of_label;
    for (size_t i = 0; i < correct.size(); ++i) {
      if (texts.labels[i] == label) of_label.push_back(correct[i]);
    }
    if (of_label.empty()) continue;
    scores.push_back(mean_over_texts(texts, name, "accuracy_" + std::to_string(label),
                                     Direction::kHigher, std::move(of_label), version));
  }
  return scores;
}

}  // namespace lvtext
