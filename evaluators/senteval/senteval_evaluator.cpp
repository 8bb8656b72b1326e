#include "evaluators/senteval/senteval_evaluator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "evaluators/senteval/classification.h"
#include "evaluators/senteval/encoder_input.h"
#include "evaluators/senteval/relatedness.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/numbers.h"
#include "framework/core/statistics/correlation.h"

namespace lvtext {
namespace {

constexpr const char *kLabel = "label", *kScore = "score", *kSubset = "subset";

/// The records of a task in the order training, validation, test.
struct Task : ClassifiedTask {
  std::vector<std::string> texts;  ///< the first sentences, then the second ones of pairs
  std::vector<std::string> labels, scores, subsets;

  int64_t rows() const { return train.numel(); }
  bool has(const at::Tensor& split) const { return split.any().item<bool>(); }
};

Task task_of(const SplitRecords& splits) {
  Task task;
  const Records* any = nullptr;
  std::vector<std::string> fields;
  std::vector<int64_t> parts;  // 0, 1, 2: the split of each row
  std::vector<std::vector<std::string>> texts;
  const std::vector<std::string> names = {"train", "valid", "test"};
  for (size_t part = 0; part < names.size(); ++part) {
    const auto found = splits.find(names[part]);
    if (found == splits.end() || found->second.rows.empty()) continue;
    const Records& records = found->second;
    if (!any) {
      any = &records;
      for (const std::string& field : records.fields) {
        if (records.is_text(field) && field != kScore && field != kSubset) fields.push_back(field);
      }
      texts.resize(fields.size());
    }
    const auto add = [&](const std::string& field, std::vector<std::string>& to) {
      const std::vector<std::string> values = records.column(field);
      to.insert(to.end(), values.begin(), values.end());
    };
    const auto has = [&](const char* field) {
      return std::find(records.fields.begin(), records.fields.end(), field) != records.fields.end();
    };
    for (size_t k = 0; k < fields.size(); ++k) add(fields[k], texts[k]);
    if (records.labels.contains(kLabel)) add(kLabel, task.labels);
    if (has(kScore)) add(kScore, task.scores);
    if (has(kSubset)) add(kSubset, task.subsets);
    parts.insert(parts.end(), records.rows.size(), static_cast<int64_t>(part));
  }
  if (!any || fields.empty() || fields.size() > 2 || task.labels.empty() == task.scores.empty()) {
    throw DataError("a task needs records with one or two texts and either the label '" +
                    std::string(kLabel) + "' or the text '" + kScore + "'" +
                    (any ? "; the fields are " + join(any->fields) : ""));
  }
  if (!task.scores.empty() && fields.size() == 1) {
    throw DataError("a task with the text 'score' needs pairs of sentences");
  }
  for (auto& each : texts) {
    for (std::string& text : each) task.texts.push_back(is_blank(text) ? "." : std::move(text));
  }
  const at::Tensor part = at::tensor(parts, at::kLong);
  task.train = part.eq(0);
  task.valid = part.eq(1);
  task.test = part.eq(2);
  if (task.labels.empty()) return task;
  const auto& values = any->labels.at(kLabel);
  task.classes = std::ssize(values);
  std::vector<int64_t> classes;
  for (const std::string& label : task.labels) {
    classes.push_back(std::find(values.begin(), values.end(), label) - values.begin());
  }
  task.label = at::tensor(classes, at::kLong);
  return task;
}

std::vector<Score> classification_scores(const Task& task, const Classified& classified,
                                         const std::string& signature) {
  const at::Tensor index = classified.scored.nonzero().squeeze(1);
  const at::Tensor expected = task.label.index_select(0, index);
  const at::Tensor predicted = classified.predicted.index_select(0, index);
  const at::Tensor is_right = predicted.eq(expected);
  const auto score = [&](const std::string& id, SentenceRows rows) {
    return summarized({.id = id,
                       .reason = "no sentence has or is given class 1",
                       .unit = "%",
                       .direction = Direction::kHigher,
                       .signature = signature + "|" + id,
                       .rows = std::move(rows)});
  };
  std::vector<Score> scores = {score("accuracy", {"mean", 1, to_doubles(is_right * 100.0)})};
  if (task.classes == 2) {
    std::vector<double> rows;  // 2 tp and 2 tp + fp + fn of each sentence
    const std::vector<double> w = to_doubles(expected), p = to_doubles(predicted);
    for (size_t i = 0; i < w.size(); ++i) {
      rows.push_back(200 * w[i] * p[i]);
      rows.push_back(w[i] + p[i]);
    }
    scores.push_back(score("f1", {"ratio", 2, std::move(rows)}));
  }
  if (classified.folds.defined()) {
    const at::Tensor folds = classified.folds.index_select(0, index);
    std::vector<double> accuracy;
    for (int64_t fold = 0; fold <= folds.max().item<int64_t>(); ++fold) {
      accuracy.push_back(
          100 * is_right.masked_select(folds.eq(fold)).to(at::kDouble).mean().item<double>());
    }
    scores.push_back({.id = "deviation",
                      .value = at::tensor(accuracy, at::kDouble).std().item<double>(),
                      .unit = "%",
                      .n = std::ssize(accuracy),
                      .signature = signature + "|deviation"});
  }
  return scores;
}

std::vector<double> numbers(const std::vector<std::string>& texts) {
  std::vector<double> values;
  for (const std::string& text : texts) {
    const auto value = parse_number(text);
    if (!value || !std::isfinite(*value)) throw DataError("the score '" + text + "' is no number");
    values.push_back(*value);
  }
  return values;
}

Score correlation_score(const std::string& id, std::optional<double> value, size_t n,
                        const std::string& signature) {
  return {.id = id,
          .value = value.value_or(std::nan("")),
          .reason = value ? "" : "one side is constant",
          .direction = Direction::kHigher,
          .n = static_cast<int64_t>(n),
          .signature = signature + "|" + id};
}

template <class Value>
std::vector<Value> selected_rows(const std::vector<Value>& values, const at::Tensor& mask) {
  std::vector<Value> result;
  const at::Tensor rows = mask.contiguous();
  for (size_t i = 0; i < values.size(); ++i) {
    if (rows.const_data_ptr<bool>()[i]) result.push_back(values[i]);
  }
  return result;
}

std::vector<Score> relatedness_scores(const Task& task, const at::Tensor& features,
                                      const SentevalOptions& options,
                                      const std::string& signature) {
  const std::vector<double> scores = numbers(task.scores);
  const std::vector<double> predicted =
      predicted_scores(features, scores, {task.train, task.valid, task.test},
                       options.zero_class ? 0 : 1, options.training);
  const std::vector<double> expected = selected_rows(scores, task.test);
  double squares = 0;
  for (size_t i = 0; i < expected.size(); ++i) squares += std::pow(predicted[i] - expected[i], 2);
  return {correlation_score("pearson", pearson(predicted, expected), expected.size(), signature),
          correlation_score("spearman", spearman(predicted, expected), expected.size(), signature),
          {.id = "mse",
           .value = squares / static_cast<double>(expected.size()),
           .direction = Direction::kLower,
           .n = std::ssize(expected),
           .signature = signature + "|mse"}};
}

/// Vectors of texts, equal ones encoded once: they are equal to the last bit, where those of two
/// batches may round differently.
at::Tensor vectors_of(const Inputs& inputs, const std::vector<std::string>& texts, int64_t batch) {
  std::unordered_map<std::string, int64_t> known;
  std::vector<std::string> different;
  std::vector<int64_t> rows;
  for (const std::string& text : texts) {
    const auto [entry, is_new] = known.emplace(text, std::ssize(different));
    if (is_new) different.push_back(text);
    rows.push_back(entry->second);
  }
  return encoder_vectors(inputs, different, batch).index_select(0, at::tensor(rows, at::kLong));
}

/// Cosines u.v / sqrt(u.u v.v) of pairs, 0 for a zero vector. Exactly 1 for equal vectors, so that
/// pairs of equal sentences share a rank; with a product of norms their order is that of rounding.
at::Tensor cosines(const at::Tensor& u, const at::Tensor& v) {
  const at::Tensor x = u.to(at::kDouble), y = v.to(at::kDouble);
  const at::Tensor squares = (x * x).sum(1) * (y * y).sum(1);
  return at::where(squares.gt(0), (x * y).sum(1) / squares.clamp_min(1e-300).sqrt(), 0.0);
}

std::vector<Score> similarity_scores(const Task& task, const at::Tensor& cosine,
                                     const std::string& signature) {
  const at::Tensor scored = task.has(task.test) ? task.test : at::ones_like(task.train);
  const std::vector<double> expected = selected_rows(numbers(task.scores), scored);
  const std::vector<double> given = selected_rows(to_doubles(cosine), scored);
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> subsets;
  const std::vector<std::string> names = task.subsets.empty()
                                             ? std::vector<std::string>(expected.size())
                                             : selected_rows(task.subsets, scored);
  for (size_t i = 0; i < expected.size(); ++i) {
    subsets[names[i]].first.push_back(given[i]);
    subsets[names[i]].second.push_back(expected[i]);
  }
  std::vector<Score> scores;
  for (const auto& [id, correlation] :
       {std::pair<std::string, Correlation>{"pearson", &pearson}, {"spearman", &spearman}}) {
    double sum = 0, weighted = 0;
    bool is_defined = true;
    for (const auto& [name, pairs] : subsets) {
      const auto value = correlation(pairs.first, pairs.second);
      is_defined = is_defined && value;
      sum += value.value_or(0);
      weighted += value.value_or(0) * static_cast<double>(pairs.first.size());
    }
    const auto defined = [&](double value) {
      return is_defined ? std::optional(value) : std::nullopt;
    };
    scores.push_back(correlation_score(id, defined(sum / static_cast<double>(subsets.size())),
                                       expected.size(), signature));
    if (subsets.size() == 1) continue;
    scores.push_back(correlation_score(id + "_weighted",
                                       defined(weighted / static_cast<double>(expected.size())),
                                       expected.size(), signature));
  }
  return scores;
}

}  // namespace

const std::vector<EnumName<Similarity>>& enum_names(Similarity) {
  static const std::vector<EnumName<Similarity>> names = {
      {"classes", Similarity::kClasses,
       "mean of a distribution over classes, which is trained on [|u - v|, u * v]"},
      {"cosine", Similarity::kCosine, "cosine of u and v; 0 for a zero vector"}};
  return names;
}

std::vector<ScoreDecl> SentevalEvaluator::scores() {
  return {{"accuracy", "share of right classes"},
          {"f1", "for two classes: F1 of the second one"},
          {"deviation", "standard deviation of the accuracies of the outer folds"},
          {"pearson", "Pearson's correlation with the scores of pairs; mean over subsets"},
          {"spearman", "Spearman's correlation with the scores of pairs; mean over subsets"},
          {"pearson_weighted", "the same, weighted by the pairs of a subset"},
          {"spearman_weighted", "the same, weighted by the pairs of a subset"},
          {"mse", "mean squared error of predicted scores"}};
}

std::vector<InputDecl> SentevalEvaluator::inputs() const {
  return {encoder_input(),
          {.name = "task",
           .help = "a data set of sentences or pairs with a label or a score",
           .type = ArtifactType::kRecords}};
}

std::vector<Score> SentevalEvaluator::evaluate(const Inputs& inputs) const {
  const Task task = task_of(inputs.records("task"));
  const at::Tensor all = vectors_of(inputs, task.texts, options_.together);
  const bool is_pair = all.size(0) > task.rows();
  const at::Tensor u = all.narrow(0, 0, task.rows());
  const at::Tensor v = is_pair ? all.narrow(0, task.rows(), task.rows()) : at::Tensor();
  std::vector<std::string> l2;
  for (const double each : options_.l2) l2.push_back(format_number(each));
  const std::string of_model = "senteval" + encoder_signature(inputs);
  const std::string version = "|version:" + std::to_string(kRevision);
  const bool has_splits = task.has(task.train) && task.has(task.valid) && task.has(task.test);
  if (!task.scores.empty() &&
      options_.similarity.value_or(has_splits ? Similarity::kClasses : Similarity::kCosine) ==
          Similarity::kCosine) {
    return similarity_scores(task, cosines(u, v), of_model + "|similarity:cosine" + version);
  }
  const at::Tensor features = is_pair ? at::cat({(u - v).abs(), u * v}, 1) : u;
  const ProbeTraining& training = options_.training;
  if (!task.scores.empty()) {
    if (!has_splits)
      throw DataError("similarity by classes needs training, validation and test pairs");
    return relatedness_scores(task, features, options_,
                              of_model + "|similarity:classes" +
                                  (options_.zero_class ? ",zero_class" : "") +
                                  training.optimizer_signature() + version);
  }
  const std::string protocol =
      "|folds:" + std::to_string(options_.folds) + "|l2:" + join(l2) + training.signature();
  return classification_scores(
      task, classify(features, task, options_.folds, options_.l2, options_.training),
      of_model + protocol + version);
}

void register_senteval(Registries& registries) {
  add_evaluator<SentevalEvaluator, SentevalOptions>(
      registries, "senteval", "Sentence vectors in other tasks, with SentEval's protocols",
      {"Conneau and Kiela 2018", "https://aclanthology.org/L18-1269"});
}

}  // namespace lvtext
