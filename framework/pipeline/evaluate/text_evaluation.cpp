#include "framework/pipeline/evaluate/text_evaluation.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "evaluators/evaluate.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/numbers.h"
#include "framework/core/text/lines.h"
#include "framework/pipeline/check/usual_inputs.h"
#include "framework/pipeline/evaluate/text_dataset.h"
#include "framework/pipeline/recipe/reference.h"

namespace lvtext {
namespace {

using Lines = std::vector<std::string>;

void check_count(const std::filesystem::path& outputs, size_t count,
                 const std::filesystem::path& other, size_t other_count) {
  if (count == other_count) return;
  throw DataError("'" + outputs.string() + "' has " +
                  format_count(static_cast<int64_t>(count), "line") + " and '" + other.string() +
                  "' has " + std::to_string(other_count) +
                  ": line i of one must belong to line i of the other");
}

/// Splits lines "source TAB output", if the first line has a TAB.
void split_columns(const std::filesystem::path& file, SystemText& text) {
  if (text.outputs.empty() || text.outputs[0].find('\t') == std::string::npos) return;
  for (size_t i = 0; i < text.outputs.size(); ++i) {
    std::string& line = text.outputs[i];
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos) {
      throw DataError(
          "'" + file.string() + "', line " + std::to_string(i + 1) + ": has " +
          (tab == std::string::npos ? "no TAB" : "several TABs") +
          ", but the first line is 'source TAB output'; all lines must have this form, or one "
          "column must be in a file of its own (cut -f2 FILE)");
    }
    text.sources.push_back(line.substr(0, tab));
    line.erase(0, tab + 1);
  }
}

/// Each text is read once, so that it may come from a pipe.
constexpr LineOptions kOnce{.pipes = Pipes::kAccept};

/// Throws DataError for a line with a TAB, which separates columns of other texts.
void refuse_tabs(const std::filesystem::path& file, const Lines& lines) {
  const auto found = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find('\t') != std::string::npos;
  });
  if (found == lines.end()) return;
  throw DataError("'" + file.string() + "', line " +
                  std::to_string(std::distance(lines.begin(), found) + 1) +
                  ": has a TAB, but a line is one sentence here; write the column of the sentences "
                  "to a file of its own (cut -f2 FILE)");
}

/// Reads indices of classes, one per line.
std::vector<int64_t> read_labels(const std::filesystem::path& file) {
  constexpr int64_t kMaxClasses = 1 << 16;
  std::vector<int64_t> labels;
  for (const std::string& line : read_lines(file, kOnce)) {
    const auto label = parse_int(line);
    if (!label || *label < 0 || *label >= kMaxClasses) {
      throw DataError("'" + file.string() + "', line " + std::to_string(labels.size() + 1) + ": " +
                      shown(line) + " is not the index of a class: 0, 1, ...");
    }
    labels.push_back(*label);
  }
  return labels;
}

/// True if a value of a node refers to a row.
bool reads_row(const Node& node) {
  if (node.text().starts_with("row.")) return true;
  return std::any_of(node.entries().begin(), node.entries().end(),
                     [](const Node::Entry& entry) { return reads_row(entry.value); });
}

using Models = std::map<std::string, LoadedModel>;

/// Maps the files and models to inputs of an evaluator.
struct TextInputs {
  std::vector<InputDecl> outputs, compared, models, datasets;
  std::string unsupported_reason;  ///< why text and models are not enough; empty if they are
  std::string mismatch;            ///< why a given model is not valid; empty if all are
};

void map_model(const InputDecl& input, const Models& models, const Registries& registries,
               TextInputs& inputs) {
  if (input.by_default.text().starts_with("row.")) {
    inputs.unsupported_reason = "it requires a model: eval RUN";
  } else if (reads_row(input.by_default)) {
    inputs.unsupported_reason =
        "it requires " + input.help + ", which a recipe trains: lvtext reproduce RECIPE";
  } else if (const auto given = models.find(input.name); given != models.end()) {
    inputs.models.push_back(input);
    const Component& model = registries.models.get(given->second.component);
    const std::string reason = model_mismatch(input, model);
    if (!reason.empty()) inputs.mismatch = "--input " + input.name + ": " + reason;
  } else {
    inputs.unsupported_reason = "it requires --input " + input.name + "=RUN: " + input.help;
  }
}

TextInputs text_inputs(const Configured& evaluator, const Models& models,
                       const Registries& registries) {
  TextInputs inputs;
  for (const InputDecl& input : evaluator.inputs) {
    const auto reference = parse_reference(input.by_default.text());
    const bool of_row = reference && reference->id == "row";
    const bool is_optional = input.arity == InputDecl::Arity::kOptional;
    if (input.type == ArtifactType::kModel) {
      map_model(input, models, registries, inputs);
    } else if (input.type == ArtifactType::kScores) {
      inputs.unsupported_reason = kCombines;
    } else if (input.type == ArtifactType::kDataset && (of_row || is_optional)) {
      inputs.datasets.push_back(input);  // the records of the text
    } else if (input.type == ArtifactType::kDataset || input.type == ArtifactType::kRecords) {
      inputs.unsupported_reason = kReadsDatasets;
    } else if (input.type == ArtifactType::kText && !reference && is_optional) {
      continue;  // no file has it
    } else if (input.type != ArtifactType::kText || !reference) {
      inputs.unsupported_reason = "it requires a model: eval RUN";
    } else if (reference->part == "test" || reference->part.ends_with(".source")) {
      inputs.compared.push_back(input);
    } else if (of_row) {
      inputs.outputs.push_back(input);
    } else if (!is_optional) {
      inputs.unsupported_reason = "it needs " + input.help + ": eval RUN";
    }
  }
  return inputs;
}

class TextEvaluation {
 public:
  TextEvaluation(const SystemText& text, const Models& models)
      : outputs_(text.outputs), models_(models) {
    for (const Lines& lines : text.references) references_.emplace_back(lines);
    if (!text.sources.empty()) sources_.emplace_back(text.sources);
    std::map<std::string, Lines> texts = {{"text", text.outputs}};
    if (!text.sources.empty()) texts["source"] = text.sources;
    rows_ = text_dataset(texts, text.labels);
    columns_ = {{"text", outputs_}};
    if (!sources_.empty()) columns_["source"] = sources_.front();
  }

  /// Why the evaluator cannot be computed; empty if it can.
  std::string unsupported_reason(const TextInputs& inputs) const {
    if (!inputs.unsupported_reason.empty()) return inputs.unsupported_reason;
    if (!inputs.mismatch.empty() || inputs.compared.empty()) return inputs.mismatch;
    if (sources_.empty() && references_.empty()) {
      return "it requires --references FILE or --source FILE";
    }
    return sources_.empty() ? too_many(inputs) : "";
  }

  void score(const std::string& name, const Configured& evaluator, const TextInputs& inputs,
             EvaluatorScores& result) const {
    const auto add = [&](const std::string& against, const std::vector<Text>& compared) {
      result.scored.push_back({name, evaluate(evaluator, inputs, compared), against});
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
    for (const InputDecl& input : declared.models) inputs.add(input.name, models_.at(input.name));
    for (const InputDecl& input : declared.datasets) {
      inputs.add(input.name, rows_->dataset, /*of_parents=*/false, rows_->tokenizer,
                 [this](const std::string& column) { return columns_.at(column); });
    }
    for (const InputDecl& input : declared.compared) {
      for (const Text& text : compared) inputs.add(input.name, text);
    }
    return lvtext::evaluate(evaluator, inputs);
  }

  Text outputs_;
  const Models& models_;
  std::vector<Text> references_, sources_;
  std::optional<TextDataset> rows_;
  std::map<std::string, Text> columns_;  // the lines of its texts
};

using NamedEvaluator = std::pair<std::string, Configured>;

/// The evaluators with their options, in order; those that lack required options are omitted.
/// Throws UsageError for such an evaluator that is named and for an unknown name, ConfigError for
/// invalid options.
std::vector<NamedEvaluator> configured(const Registries& registries,
                                       const std::vector<std::string>& named, const Node& options) {
  const std::vector<std::string>& chosen = named.empty() ? registries.evaluators.names() : named;
  Errors errors;
  for (const Node::Entry& entry : options.entries()) {
    if (contains(chosen, entry.key)) continue;
    errors.add(entry.key_location,
               "options of " + shown(entry.key) + ", which is not an evaluator of this command",
               suggestion(entry.key, chosen));
  }
  std::vector<NamedEvaluator> all;
  for (const auto& name : chosen) {
    const Component* component = registries.evaluators.find(name);
    if (!component) {
      throw UsageError("--evaluators: " + registries.evaluators.unknown_message(name) + "; " +
                       registries.evaluators.known_message(name));
    }
    Errors problems;
    const Node* own = options.find(name);
    const auto evaluator = component->configure(own ? *own : Node::mapping({}),
                                                own ? errors : problems, own ? name : "");
    if (evaluator) {
      all.emplace_back(name, *evaluator);
    } else if (!named.empty() && !own) {
      throw UsageError("--evaluators " + name + ": " + kHasRequiredOptions);
    }
  }
  errors.throw_if_any();
  return all;
}

/// Throws UsageError for a model that fills no input of the evaluators.
void check_used(const Models& models, const std::vector<NamedEvaluator>& evaluators) {
  std::set<std::string> names;
  for (const auto& [name, evaluator] : evaluators) {
    for (const InputDecl& input : evaluator.inputs) {
      if (input.type == ArtifactType::kModel) names.insert(input.name);
    }
  }
  const std::vector<std::string> inputs(names.begin(), names.end());
  for (const auto& [name, model] : models) {
    if (names.contains(name)) continue;
    const auto meant = nearest(name, inputs);
    throw UsageError("--input " + name + ": the evaluators have no such input" +
                     (meant ? "; did you mean " + shown(*meant) + "?" : "") +
                     " (models: " + (inputs.empty() ? "none" : join(inputs)) + ")");
  }
}

}  // namespace

SystemText read_system_text(const TextFiles& files) {
  SystemText text;
  const auto aligned = [&](const std::filesystem::path& file, auto values) {
    check_count(files.outputs, text.outputs.size(), file, values.size());
    return values;
  };
  const auto sentences = [&](const std::filesystem::path& file) {
    auto lines = aligned(file, read_lines(file, kOnce));
    refuse_tabs(file, lines);
    return lines;
  };
  text.outputs = read_lines(files.outputs, kOnce);
  if (files.sources.empty()) split_columns(files.outputs, text);
  refuse_tabs(files.outputs, text.outputs);
  if (!files.sources.empty()) text.sources = sentences(files.sources);
  for (const auto& file : files.references) text.references.push_back(sentences(file));
  for (const auto& [name, file] : files.columns) {
    if (name == "text" || name == "source") {
      throw UsageError("--column " + name + ": the column '" + name + "' has the " +
                       (name == "text" ? "outputs" : "sources; give them with --source FILE"));
    }
    text.labels[name] = aligned(file, read_labels(file));
  }
  return text;
}

EvaluatorScores evaluate_text(const SystemText& text,
                              const std::map<std::string, LoadedModel>& models,
                              const Registries& registries,
                              const std::vector<std::string>& evaluators, const Node& options) {
  const bool named = !evaluators.empty();
  const std::vector<NamedEvaluator> all = configured(registries, evaluators, options);
  check_used(models, all);
  const TextEvaluation evaluation(text, models);
  EvaluatorScores result;
  for (const auto& [name, evaluator] : all) {
    const TextInputs inputs = text_inputs(evaluator, models, registries);
    const std::string reason = evaluation.unsupported_reason(inputs);
    if (!reason.empty()) {
      if (named) throw UsageError("--evaluators " + name + ": " + reason);
      if (inputs.unsupported_reason.empty()) result.left_out.push_back({name, reason});
      continue;
    }
    const auto leave_out = [&, &id = name](const Error& error) {
      if (named) throw;
      result.left_out.push_back({id, error.what()});
    };
    try {
      evaluation.score(name, evaluator, inputs, result);
    } catch (const DataError& error) {
      leave_out(error);
    } catch (const MissingError& error) {
      leave_out(error);
    }
  }
  return result;
}

}  // namespace lvtext
