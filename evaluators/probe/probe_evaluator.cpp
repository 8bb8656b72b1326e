#include "evaluators/probe/probe_evaluator.h"

#include <ATen/ATen.h>

#include <utility>

#include "evaluators/senteval/encoder_input.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/numbers.h"

namespace lvtext {

std::vector<ScoreDecl> ProbeEvaluator::scores() {
  return {
      {"accuracy", "share of test sentences whose class is found from their vectors"},
      {"majority", "share of the test sentences of the class that most training sentences have"}};
}

std::vector<InputDecl> ProbeEvaluator::inputs() const {
  return {encoder_input(),
          {.name = "records",
           .help = "a data set of sentences, or of sentences with the field `label`",
           .type = ArtifactType::kRecords}};
}

ProbingTask ProbeEvaluator::task(const SplitRecords& splits) const {
  if (!options_.kind) return given_task(splits);
  std::vector<std::string> texts, names;
  for (const auto& [split, records] : splits) {
    names.push_back(split);
    if (options_.split && split != *options_.split) continue;
    for (std::string& text : records.texts()) texts.push_back(std::move(text));
  }
  if (texts.empty()) {
    throw DataError("the data set has no text" +
                    (options_.split
                         ? " of the split '" + *options_.split + "'; splits: " + join(names)
                         : std::string()));
  }
  ProbeBuilding building = options_.building;
  building.seed = static_cast<uint64_t>(options_.training.seed);
  return built_task(*options_.kind, texts, building);
}

std::vector<Score> ProbeEvaluator::evaluate(const Inputs& inputs) const {
  const ProbingTask task = this->task(inputs.records("records"));
  const at::Tensor features = encoder_vectors(inputs, task.texts, options_.together);
  const at::Tensor classes = at::tensor(task.classes, at::kLong);
  const at::Tensor part = at::tensor(task.parts, at::kLong);
  const at::Tensor train = part.eq(0), valid = part.eq(1), test = part.eq(2);
  ProbeTraining training = options_.training;
  training.hidden = options_.hidden.value_or(options_.usual_hidden());
  const FittedProbe probe =
      selected_probe(features, classes, task.class_count, train, valid, options_.l2, training);
  const at::Tensor expected = classes.masked_select(test);
  const at::Tensor is_right = predicted_classes(probe, features).masked_select(test).eq(expected);
  const at::Tensor most = at::bincount(classes.masked_select(train)).argmax();

  const auto size = [](const at::Tensor& mask) { return mask.sum().item<int64_t>(); };
  const std::string sizes = std::to_string(size(train)) + "," + std::to_string(size(valid)) + "," +
                            std::to_string(size(test));
  std::vector<std::string> l2;
  for (const double each : options_.l2) l2.push_back(format_number(each));
  std::string built = "given";
  if (options_.kind) built = enum_name(*options_.kind);
  if (options_.kind == ProbeKind::kWordContent) {
    built += ",first_rank:" + std::to_string(options_.building.first_rank);
  }
  const std::string signature = "probe" + encoder_signature(inputs) + "|kind:" + built +
                                "|sentences:" + sizes +
                                "|classes:" + std::to_string(task.class_count) +
                                "|hidden:" + std::to_string(training.hidden) + "|l2:" + join(l2) +
                                training.signature() + "|version:" + std::to_string(kRevision);
  const auto score = [&](const std::string& id, const at::Tensor& right) {
    return summarized({.id = id,
                       .unit = "%",
                       .direction = Direction::kHigher,
                       .signature = signature + "|" + id,
                       .rows = {"mean", 1, to_doubles(right * 100.0)}});
  };
  return {score("accuracy", is_right), score("majority", expected.eq(most))};
}

void register_probe(Registries& registries) {
  add_evaluator<ProbeEvaluator, ProbeOptions>(
      registries, "probe", "Properties of the form of sentences in their vectors",
      {"Conneau, Kruszewski, Lample, Barrault and Baroni 2018",
       "https://aclanthology.org/P18-1198"});
}

}  // namespace lvtext
