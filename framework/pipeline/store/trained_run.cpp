#include "framework/pipeline/store/trained_run.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/store/exported_model.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/node_parts.h"
#include "framework/pipeline/store/unfinished_run.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Returns validation values by name, as used for METRIC, and step.
std::map<std::string, std::map<int64_t, double>> validations(const fs::path& training) {
  std::map<std::string, std::map<int64_t, double>> values;
  for (const auto& line : read_written_lines(FinishedRun(training), kLogFile)) {
    const Json entry = Json::parse(line);
    if (!entry.contains("validation")) continue;
    const int64_t step = entry.value("step", int64_t{0});
    const Json& validation = entry["validation"];
    const auto add = [&](const std::string& name, const Json& value) {
      if (value.is_number()) values[name][step] = value.get<double>();
    };
    add("objective", validation.value("objective", Json()));
    const Json terms = validation.value("terms", Json::object());
    for (const auto& [term, value] : terms.items()) {
      add(term, value);
      add(term.substr(term.rfind('/') + 1), value);
    }
  }
  return values;
}

int64_t best_step(const fs::path& training, const std::string& metric) {
  const auto values = validations(training);
  const auto found = values.find(metric);
  if (found == values.end()) {
    std::vector<std::string> names;
    for (const auto& [name, unused] : values) names.push_back(name);
    throw UsageError("--checkpoint best:" + metric + ": " +
                     (names.empty() ? "this run was not validated"
                                    : "validation of this run has no such metric; " +
                                          suggestion(metric, names)));
  }
  int64_t best = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& [step, value] : found->second) {
    if (value < lowest) {
      lowest = value;
      best = step;
    }
  }
  return best;
}

int64_t requested_step(const fs::path& training, const std::string& which, int64_t last) {
  if (which == "last") return last;
  if (which.starts_with("best:")) return best_step(training, which.substr(5));
  if (const auto step = parse_step(which)) return *step;
  throw UsageError("--checkpoint: " + shown(which) +
                   " is not allowed; use last, best:METRIC (such as best:objective) or step:N");
}

/// Returns the input with the text that a model was trained on or fitted to.
std::string text_input(const fs::path& folder) {
  const auto inputs = read_run_description(folder)->at("inputs");
  if (inputs.contains("train")) return "train";
  for (const auto& [input_key, unused] : inputs.items()) {
    if (inputs.contains(input_key + kTokenizerOf)) return input_key;
  }
  throw MissingError("'" + folder.string() + "' has no text input");
}

/// Throws MissingError if the folder does not describe a node.
Json description_of(const fs::path& node) {
  const auto description = read_run_description(node);
  if (!description) throw MissingError("'" + node.string() + "' has no description");
  return *description;
}

/// Returns the node with the records of a model's text, or of its validation text for models that
/// were trained on generated text. Throws MissingError if both were generated.
fs::path source_of_text(const fs::path& folder) {
  for (const std::string& input_key : {text_input(folder), std::string("valid")}) {
    if (!description_of(folder).at("inputs").contains(input_key)) continue;
    const fs::path text = input_folder(folder, input_key);
    if (description_of(text).at("inputs").contains("source")) return input_folder(text, "source");
  }
  throw MissingError("'" + folder.string() +
                     "' was trained on generated text; its data have no splits");
}

/// Returns the columns and values that the records of a source node were selected by.
std::map<std::string, std::string> selection_of(fs::path source) {
  std::map<std::string, std::string> selected;
  for (;;) {
    const Json description = description_of(source);
    selected.merge(description.at("options").value("where", std::map<std::string, std::string>()));
    if (!description.at("inputs").contains("source")) return selected;
    source = input_folder(source, "source");
  }
}

}  // namespace

std::string input_name(const fs::path& node, const std::string& input_key) {
  const auto description = read_run_description(node);
  const std::string name =
      description ? description->at("inputs").value(input_key, std::string()) : "";
  // Must be a name, not a path, so that it cannot refer to a folder outside of the folder of runs.
  if (name.empty() || fs::path(name).filename() != name) {
    throw DataError("'" + node.string() + "' has no input '" + input_key + "'");
  }
  return name;
}

fs::path input_folder(const fs::path& node, const std::string& input_key) {
  const std::string name = input_name(node, input_key);
  const fs::path runs = node.has_parent_path() ? node.parent_path() : fs::path(".");
  std::error_code failed;
  if (fs::is_directory(runs / name, failed)) return runs / name;
  const std::string suffix = name.substr(std::min(name.rfind('-'), name.size()));
  if (!suffix.empty()) {
    for (const auto& entry : fs::directory_iterator(runs, failed)) {
      if (entry.path().filename().string().ends_with(suffix)) return entry.path();
    }
  }
  throw MissingError("'" + node.string() + "' was computed from '" + name +
                     "', which no longer exists; run its recipe again to restore it");
}

std::optional<int64_t> checkpoint_step(const fs::path& training, const std::string& which) {
  if (which.empty()) return std::nullopt;
  const auto metadata = FinishedRun(training).metadata();
  const int64_t step = requested_step(training, which, metadata.value("steps", int64_t{0}));
  check_kept(training, step);
  return step;
}

fs::path recorded_tokenizer(const fs::path& node) {
  const auto inputs = description_of(node).at("inputs").get<std::map<std::string, std::string>>();
  const auto found = tokenizer_input(inputs, [&](const std::string& input_key) {
    return description_of(input_folder(node, input_key)).value("kind", "") ==
           enum_name(NodeKind::kPack);
  });
  if (!found) throw MissingError("'" + node.string() + "' has no text and no tokenizer");
  const fs::path input = input_folder(node, found->key);
  return found->is_tokenizer ? input : recorded_tokenizer(input);
}

TrainedRun read_trained_run(const fs::path& folder, const Registries& registries,
                            const std::string& checkpoint, const std::string& device) {
  if (is_exported_model(folder)) {
    if (!checkpoint.empty()) {
      throw UsageError("--checkpoint: '" + folder.string() +
                       "' is an exported model, which has one set of weights");
    }
    LoadedModel model = load_exported(folder, registries, device);
    const auto seed = exported_config(folder).at("seed").get<int64_t>();
    return {folder, model.identity, seed, std::move(model)};
  }
  if (!read_run_manifest(folder)) {
    UnfinishedRun run = read_unfinished_run(folder, registries, checkpoint, device);
    run.model.tokenizer = read_tokenizer(recorded_tokenizer(folder));
    return {folder, run.identity, run.seed, std::move(run.model), /*finished=*/false};
  }
  const auto step = checkpoint_step(folder, checkpoint);
  LoadedModel model = read_model(folder, registries, step, device);
  model.tokenizer = read_tokenizer(recorded_tokenizer(folder));
  const FinishedRun run(folder);
  return {folder, run.identity(), run.metadata().at("seed").get<int64_t>(), std::move(model)};
}

std::vector<std::string> style_names(const fs::path& training) {
  if (is_exported_model(training)) return exported_styles(training);
  std::vector<std::map<std::string, std::string>> sides;
  try {
    const auto inputs = read_run_description(training)->at("inputs");
    for (std::string side = "train"; inputs.contains(side);
         side = "train[" + std::to_string(sides.size()) + "]") {
      sides.push_back(selection_of(input_folder(input_folder(training, side), "source")));
    }
  } catch (const Error&) {
    return {};
  }
  if (sides.size() < 2) return {};
  for (const auto& [column, unused] : sides.front()) {
    std::vector<std::string> names;
    for (const auto& side : sides) {
      const auto value = side.find(column);
      if (value != side.end()) names.push_back(value->second);
    }
    const std::set<std::string> different(names.begin(), names.end());
    if (different.size() == sides.size()) return names;
  }
  return {};
}

Text split_of_run(const TrainedRun& run, const std::string& split) {
  if (is_exported_model(run.folder)) {
    throw MissingError("'" + run.folder.string() +
                       "' is an exported model without data; give the run that it was exported "
                       "from, or score its outputs with `lvtext eval --outputs FILE`");
  }
  const auto inputs = read_run_description(run.folder)->at("inputs");
  if (inputs.contains(split)) {
    const fs::path data = input_folder(run.folder, split);
    return read_column(data, run.model.tokenizer, "text", records_of(data));
  }
  // The inputs of a model do not include its test set; encode the split of the source node.
  const fs::path source = source_of_text(run.folder);
  std::vector<std::string> lines = read_split(source, split);
  std::vector<TokenIds> sentences;
  for (const auto& line : lines) sentences.push_back(run.model.tokenizer->encode(line));
  return Text(std::move(lines), std::move(sentences), run.model.tokenizer);
}

}  // namespace lvtext
