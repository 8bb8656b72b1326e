#include "framework/pipeline/evaluate/run_evaluation.h"

#include <algorithm>

#include "evaluators/evaluate.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/capabilities.h"
#include "framework/pipeline/check/usual_inputs.h"
#include "framework/pipeline/evaluate/recorded_encoder.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/recipe/reference.h"

namespace lvtext {
namespace {

struct Chosen {
  std::string name;
  Configured evaluator;
};

/// Why a reference cannot be resolved without a recipe; empty if it can.
std::string unsupported_reason(const InputDecl& input, const std::string& text,
                               const Component& model, const Registries& registries) {
  const auto reference = parse_reference(text);
  if (!reference) return "no value for its input " + input.name;
  if (reference->id == "data") {
    const bool of_every_run =
        reference->part == "train" || reference->part == "valid" || reference->part == "test";
    return of_every_run ? "" : "it requires data." + reference->part;
  }
  std::vector<InputDecl> asked = {input};
  if (reference->part != "model") {
    const Component* inference = registries.inference.find(reference->part);
    if (!inference) return "no value for its input " + input.name;
    asked = inference->configure().inputs;
  }
  for (const InputDecl& each : asked) {
    if (each.type != ArtifactType::kModel) continue;
    const std::string reason = model_mismatch(each, model);
    if (!reason.empty()) return reason;
  }
  return "";
}

/// Whether an input has no value in eval, and needs none.
bool is_left_out(const InputDecl& input) {
  return input.arity == InputDecl::Arity::kOptional && input.by_default.is_null();
}

/// Why eval cannot compute an evaluator for this model; empty if it can.
std::string unsupported_reason(const Chosen& chosen, const Component& model,
                               const Registries& registries) {
  std::string inline_input;
  for (const InputDecl& input : chosen.evaluator.inputs) {
    if (is_left_out(input)) continue;
    if (input.type == ArtifactType::kScores) return kCombines;
    if (input.type == ArtifactType::kDataset || input.type == ArtifactType::kRecords) {
      return kReadsDatasets;
    }
    if (input.by_default.is_mapping()) {
      inline_input = input.help;
      continue;
    }
    const std::string reason =
        unsupported_reason(input, input.by_default.text(), model, registries);
    if (!reason.empty()) return reason;
  }
  if (inline_input.empty()) return "";
  return "it needs " + inline_input +
         ", which eval does not train; add it to `evaluate` of a recipe and run `lvtext "
         "reproduce RECIPE`";
}

std::vector<Chosen> choose(const Registries& registries, const Component& model,
                           const RunEvaluationOptions& options, EvaluatorScores& result) {
  const bool named = !options.evaluators.empty();
  std::vector<Chosen> all;
  for (const auto& name : named ? options.evaluators : registries.evaluators.names()) {
    const Component* component = registries.evaluators.find(name);
    if (!component) {
      throw UsageError("--evaluators: " + registries.evaluators.unknown_message(name) + "; " +
                       registries.evaluators.known_message(name));
    }
    Errors problems;
    const auto configured = component->configure(Node::mapping({}), problems, "");
    const std::string reason = configured
                                   ? unsupported_reason({name, *configured}, model, registries)
                                   : kHasRequiredOptions;
    if (reason.empty()) {
      all.push_back({name, *configured});
    } else if (named) {
      throw UsageError("--evaluators " + name + ": " + reason);
    } else if (reason !=
               kCombines) {  // evaluators that combine scores need several metrics or rows
      result.left_out.push_back({name, reason});
    }
  }
  return all;
}

/// Resolves references for a run; texts that evaluators share are generated once.
class RunReferences {
 public:
  RunReferences(const TrainedRun& run, const Registries& registries,
                const RunEvaluationOptions& options, int64_t samples, Notify progress)
      : run_(run),
        registries_(registries),
        options_(options),
        samples_(samples),
        progress_(std::move(progress)) {}

  Inputs inputs(const std::vector<InputDecl>& declared) {
    Inputs all;
    for (const InputDecl& input : declared) {
      if (const InputDecl* of = text_of_vectors(input, declared)) {
        all.add(input.name, vectors(text(*parse_reference(of->by_default.text()))));
      }
      if (is_left_out(input)) continue;
      const Reference reference = *parse_reference(input.by_default.text());
      if (input.type == ArtifactType::kModel) {
        all.add(input.name, run_.model);
      } else {
        all.add(input.name, text(reference));
      }
    }
    return all;
  }

 private:
  const Text& text(const Reference& reference) {
    const bool of_row = reference.id == "row";
    const std::string key = (of_row ? "row." : "data.") + reference.part;
    if (const auto made = texts_.find(key); made != texts_.end()) return made->second;
    const std::string& split = reference.part == "test" ? options_.split : reference.part;
    Text text = of_row ? generate(reference.part) : split_of_run(run_, split);
    return texts_.emplace(key, std::move(text)).first->second;
  }

  /// The text whose vectors an optional data set beside it holds, for a model that decodes vectors;
  /// null for other inputs and models.
  const InputDecl* text_of_vectors(const InputDecl& input,
                                   const std::vector<InputDecl>& declared) const {
    const bool holds_vectors = is_left_out(input) && input.type == ArtifactType::kDataset;
    if (!holds_vectors || !dynamic_cast<const VectorDecoder*>(run_.model.model.get())) {
      return nullptr;
    }
    const auto found = std::find_if(declared.begin(), declared.end(), [&](const InputDecl& each) {
      return each.name == input.aligned_with;
    });
    return found == declared.end() ? nullptr : &*found;
  }

  /// The vectors of the sentences, as those of the training data were computed.
  Dataset vectors(const Text& sentences) const {
    const auto& decoder = dynamic_cast<const VectorDecoder&>(*run_.model.model);
    const auto lines = sentences.lines();
    return RecordedEncoder(run_, decoder.vector_size(), registries_)
        .encode({lines.begin(), lines.end()});
  }

  Text generate(const std::string& name) {
    const Component& component = registries_.inference.get(name);
    Node options = Node::mapping({});
    for (const auto& [key, value] : {std::pair{"count", samples_},
                                     {"seed", options_.seed},
                                     {"max_length", options_.max_length}}) {
      for (const FieldSchema& field : component.about.schema.fields) {
        if (field.key == key) {
          options = options.with({key, Node::scalar(std::to_string(value)), {}});
        }
      }
    }
    progress_(name);
    const Configured configured = component.configure(options);
    return configured.inference
        ->run(inputs(configured.inputs),
              [&](const std::string& text) { progress_(name + ": " + text); })
        .text;
  }

  const TrainedRun& run_;
  const Registries& registries_;
  const RunEvaluationOptions& options_;
  int64_t samples_;
  Notify progress_;
  std::map<std::string, Text> texts_;
};

/// The largest number of sentences of a text of the run that an evaluator uses.
int64_t samples_wanted(const std::vector<Chosen>& chosen) {
  int64_t most = 1;
  for (const Chosen& each : chosen) {
    for (const InputDecl& input : each.evaluator.inputs) {
      if (input.by_default.text() == "row.samples") most = std::max(most, input.rows);
    }
  }
  return most;
}

}  // namespace

EvaluatorScores evaluate_run(const TrainedRun& run, const Registries& registries,
                             const RunEvaluationOptions& options,
                             const std::function<void(const std::string&)>& progress) {
  const at::NoGradGuard no_grad;
  EvaluatorScores result;
  const auto chosen =
      choose(registries, registries.models.get(run.model.component), options, result);
  int64_t samples = samples_wanted(chosen);
  if (options.samples > 0) samples = std::min(samples, options.samples);
  const Notify tell = progress ? progress : [](const std::string&) {};
  RunReferences references(run, registries, options, samples, tell);
  for (const auto& each : chosen) {
    try {
      const Inputs inputs = references.inputs(each.evaluator.inputs);
      tell(each.name);
      result.scored.push_back({each.name, evaluate(each.evaluator, inputs)});
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      result.failed.push_back({each.name, error.what()});
    }
  }
  return result;
}

}  // namespace lvtext
