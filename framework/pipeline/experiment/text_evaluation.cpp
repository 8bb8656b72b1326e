#include "framework/pipeline/experiment/text_evaluation.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/text/lines.h"
#include "framework/pipeline/experiment/usual_inputs.h"
#include "framework/pipeline/recipe/reference.h"

namespace lvtext {
namespace {

using Lines = std::vector<std::string>;

void check_count(const std::filesystem::path& outputs, size_t count,
                 const std::filesystem::path& other, size_t other_count) {
  if (count == other_count) return;
  throw DataError("'" + outputs.string() + "' has " + std::to_string(count) + " lines and '" +
                  other.string() + "' has " + std::to_string(other_count) +
                  ": line i of one must belong to line i of the other");
}

/// Splits lines "source TAB output", if the first line has a TAB.
void take_apart(const std::filesystem::path& file, SystemText& text) {
  if (text.outputs.empty() || text.outputs[0].find('\t') == std::string::npos) return;
  for (size_t i = 0; i < text.outputs.size(); ++i) {
    std::string& line = text.outputs[i];
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos) {
      throw DataError(
          "'" + file.string() + "', line " + std::to_string(i + 1) + ": has " +
          (tab == std::string::npos ? "no TAB" : "several TABs") +
          ", but the first line is 'source TAB output'; all lines must have this form, or give the "
          "sources with --source FILE");
    }
    text.sources.push_back(line.substr(0, tab));
    line.erase(0, tab + 1);
  }
}

/// Maps the files to inputs of an evaluator.
struct TextInputs {
  std::vector<InputDecl> outputs, compared;
  std::string obstacle;  ///< why text alone is not enough; empty if it is
};

TextInputs text_inputs(const Configured& evaluator) {
  TextInputs inputs;
  for (const InputDecl& input : evaluator.inputs) {
    const auto reference = parse_reference(input.by_default.text());
    if (input.by_default.is_mapping()) {
      inputs.obstacle =
          "it requires " + input.help + ", which a recipe trains: lvtext reproduce RECIPE";
    } else if (input.type == ArtifactType::kScores) {
      inputs.obstacle = kCombines;
    } else if (input.type == ArtifactType::kDataset) {
      inputs.obstacle = kReadsDatasets;
    } else if (input.type != ArtifactType::kText || !reference) {
      inputs.obstacle = "it requires a model: eval RUN";
    } else if (reference->part == "test" || reference->part.ends_with(".source")) {
      inputs.compared.push_back(input);
    } else if (reference->id == "row") {
      inputs.outputs.push_back(input);
    } else if (input.arity != InputDecl::Arity::kOptional) {
      inputs.obstacle = "it needs " + input.help + ": eval RUN";
    }
  }
  return inputs;
}

class TextEvaluation {
 public:
  explicit TextEvaluation(const SystemText& text) : outputs_(text.outputs) {
    for (const Lines& lines : text.references) references_.emplace_back(lines);
    if (!text.sources.empty()) sources_.emplace_back(text.sources);
  }

  /// Why the evaluator cannot be computed; empty if it can.
  std::string obstacle(const TextInputs& inputs) const {
    if (!inputs.obstacle.empty() || inputs.compared.empty()) return inputs.obstacle;
    if (sources_.empty() && references_.empty()) {
      return "it requires --references FILE or --source FILE";
    }
    return sources_.empty() ? too_many(inputs) : "";
  }

  void score(const std::string& name, const Configured& evaluator, const TextInputs& inputs,
             TextScores& result) const {
    const auto add = [&](const std::string& against, const std::vector<Text>& compared) {
      result.scored.push_back({name, against, evaluate(evaluator, inputs, compared)});
    };
    if (inputs.compared.empty()) return add("", {});
    const std::string reason = too_many(inputs);
    if (!reason.empty()) result.left_out.push_back({name, reason});
    if (!references_.empty() && reason.empty()) add("references", references_);
    if (!sources_.empty()) add("source", sources_);
  }

 private:
  /// Why an evaluator cannot use all references.
  std::string too_many(const TextInputs& inputs) const {
    const bool takes_many = std::all_of(inputs.compared.begin(), inputs.compared.end(),
                                        [](const InputDecl& input) { return input.is_list(); });
    if (references_.size() <= 1 || takes_many) return "";
    return "it accepts one file of references; " + std::to_string(references_.size()) +
           " were given";
  }

  std::vector<Score> evaluate(const Configured& evaluator, const TextInputs& declared,
                              const std::vector<Text>& compared) const {
    Inputs inputs;
    for (const InputDecl& input : declared.outputs) inputs.add(input.name, outputs_);
    for (const InputDecl& input : declared.compared) {
      for (const Text& text : compared) inputs.add(input.name, text);
    }
    return evaluator.evaluator->evaluate(inputs);
  }

  Text outputs_;
  std::vector<Text> references_, sources_;
};

}  // namespace

SystemText read_system_text(const std::filesystem::path& outputs,
                            const std::filesystem::path& sources,
                            const std::vector<std::filesystem::path>& references) {
  SystemText text;
  text.outputs = read_lines(outputs);
  if (sources.empty()) {
    take_apart(outputs, text);
  } else {
    text.sources = read_lines(sources);
    check_count(outputs, text.outputs.size(), sources, text.sources.size());
  }
  for (const auto& reference : references) {
    text.references.push_back(read_lines(reference));
    check_count(outputs, text.outputs.size(), reference, text.references.back().size());
  }
  return text;
}

TextScores evaluate_text(const SystemText& text, const Registries& registries,
                         const std::vector<std::string>& evaluators) {
  const bool named = !evaluators.empty();
  const TextEvaluation evaluation(text);
  TextScores result;
  for (const auto& name : named ? evaluators : registries.evaluators.names()) {
    const Configured evaluator = registries.evaluators.get(name).configure();
    const TextInputs inputs = text_inputs(evaluator);
    const std::string reason = evaluation.obstacle(inputs);
    if (reason.empty()) {
      try {
        evaluation.score(name, evaluator, inputs, result);
      } catch (const MissingError& error) {
        if (named) throw;
        result.left_out.push_back({name, error.what()});
      }
    } else if (named) {
      throw UsageError("--evaluators " + name + ": " + reason);
    } else if (inputs.obstacle.empty()) {
      result.left_out.push_back({name, reason});
    }
  }
  return result;
}

}  // namespace lvtext
