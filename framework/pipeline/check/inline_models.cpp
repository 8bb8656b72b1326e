#include "framework/pipeline/check/inline_models.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/options/json.h"
#include "framework/core/options/mapping.h"
#include "framework/core/options/numbers.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/check/training_check.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/store/exported_model.h"
#include "framework/pipeline/store/trained_run.h"

namespace lvtext {
namespace {

/// Returns the dimension of the tokenizer's word vectors; 0 if there are none. An unreadable file
/// is reported later, with its own exit code, when the graph is built.
int64_t vector_width(const std::optional<DataBlock>& data) {
  try {
    return data ? data->tokenizer->vector_width() : 0;
  } catch (const Error&) {
    return 0;
  }
}

/// Returns the model's own options. If the words have vectors and the model has the option
/// `embedding`, it is set to their dimension; a different value is an error.
Node model_options(const InlineOptions& inlined, const Component* model,
                   const std::optional<DataBlock>& data, Errors& errors) {
  const auto is_embedding = [](const FieldSchema& field) { return field.key == "embedding"; };
  if (model && std::none_of(model->about.schema.fields.begin(), model->about.schema.fields.end(),
                            is_embedding)) {
    return inlined.own;
  }
  const int64_t width = vector_width(data);
  const Node* embedding = inlined.own.find("embedding");
  if (width == 0) return inlined.own;
  if (!embedding) {
    return inlined.own.with({"embedding", Node::scalar(std::to_string(width)), {}});
  }
  if (parse_int(embedding->text()).value_or(width) != width) {
    errors.add(embedding->location(),
               "the word vectors of " + shown(data->tokenizer->given_file().text()) + " have " +
                   std::to_string(width) + " dimensions, but embedding is " + embedding->text(),
               "remove embedding: the model uses the dimension of the vectors");
  }
  return inlined.own;
}

/// Returns the model of this name if it fits the input; adds mistakes to `errors`.
const Component* fitting_model(const InputDecl& input, const std::string& name,
                               const SourceLocation& location, const Registries& registries,
                               Errors& errors) {
  const Component* model = find_component(registries.models, name, location, errors);
  if (!model) return nullptr;
  const std::string reason = capability_mismatch(input, *model);
  if (reason.empty()) return model;
  std::vector<std::string> fitting;
  for (const auto& each : registries.models.names()) {
    if (capability_mismatch(input, registries.models.get(each)).empty()) fitting.push_back(each);
  }
  errors.add(location, "the model '" + name + "' " + reason, "models that fit: " + join(fitting));
  return nullptr;
}

/// Returns the text in the model's `data`; none if it has separate data or no data.
std::optional<InlineText> text_of(const Node& data, Errors& errors, const std::string& path) {
  if (data.is_scalar()) return InlineText{data.text()};
  if (!data.is_mapping() || !data.find("from")) return std::nullopt;
  return parse_options<InlineText>(data, errors, {}, path);
}

/// Parses the training data of the model.
void read_data(const InlineOptions& written, const SourceLocation& location, Errors& errors,
               const std::string& path, InlineModel& model) {
  model.text = text_of(written.data, errors, path + ".data");
  if (model.text && !model.is_imported) return;
  if (!model.text && written.data.is_mapping()) {
    model.data = parse_options<DataBlock>(written.data, errors, {}, path + ".data");
  }
  if (model.is_imported) {
    if (model.data && !model.data->tokenizer->given_file().empty()) return;
    errors.add(location, path + ": the tokenizer of the imported model is missing",
               "specify its file, data: {tokenizer: {type: word_vectors, file: FILE}} (or the type "
               "word_piece or byte_bpe), or give the folder of an exported model (`lvtext "
               "checkpoint export`) as weights");
    return;
  }
  if (!model.data) {
    errors.add(location, path + ".data is missing; specify the training data of the model");
    return;
  }
  const auto sets = manifest_names(manifest_folders());
  const DataOptions& source = model.data->source;
  const Node* set = written.data.find("set");
  const SourceLocation& at = set && set->location().source ? set->location() : location;
  if (source.is_named() && !contains(sets, source.set)) {
    errors.add(at, path + ".data.set: unknown data set '" + source.set + "'",
               suggestion(source.set, sets));
  } else if (!has_training_text(source)) {
    errors.add(at, path + ".data.set: '" + source.name() + "' has no training text");
  }
}

/// The location of a key of an inline model; `location` if it is not written.
SourceLocation location_of(const Node& effective, const char* key, const SourceLocation& location) {
  const Node* value = effective.find(key);
  return value && value->location().source ? value->location() : location;
}

/// Reads `{run: RUN}`: component and options are those of the finished run.
std::optional<InlineModel> read_run_model(const InputDecl& input, const Node& effective,
                                          const InlineOptions& written,
                                          const SourceLocation& location,
                                          const Registries& registries, Errors& errors,
                                          const std::string& path) {
  const SourceLocation at = location_of(effective, "run", location);
  for (const Node::Entry& entry : effective.entries()) {
    if (entry.key == "run" || entry.value.is_null()) continue;
    errors.add(entry.key_location, path + "." + entry.key + ": a finished run has its own options",
               "remove it");
    return std::nullopt;
  }
  try {
    LVT_ASSERT(run_finder(), "runs cannot be looked up");
    InlineModel model;
    model.is_imported = true;
    model.run = run_finder()(written.run);
    const FinishedRun run(model.run);
    recorded_tokenizer(model.run);
    const Component* component =
        fitting_model(input, run.metadata().at("model"), at, registries, errors);
    if (!component) return std::nullopt;
    model.model = component->configure(node_of_json(run.metadata().at("options"), model.run));
    return model;
  } catch (const Error& error) {
    // The name of a run may be a mistake of the recipe; a missing or damaged run is none.
    const bool is_mistake = error.code() == Exit::kUsage;
    errors.add(at, path + ".run: " + error.what(), "",
               is_mistake ? Exit::kBadConfig : error.code());
  } catch (const nlohmann::json::exception&) {
    errors.add(at, path + ".run: " + shown(written.run) + " is not a trained or fitted model");
  }
  return std::nullopt;
}

/// Reads an import with the folder of an exported model, which has options and tokenizer.
std::optional<InlineModel> read_exported_import(InlineModel model, const InlineOptions& written,
                                                const Component& component,
                                                const SourceLocation& location, Errors& errors,
                                                const std::string& path) {
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    errors.add(location, path + message, hint);
    return std::nullopt;
  };
  try {
    const auto own = exported_config(model.weights.path);
    if (own.at("model") != component.about.name) {
      return refuse(
          ".weights: " + shown(model.weights.path) + " has the model " + own.at("model").dump(),
          "write it as `import: " + own.at("model").get<std::string>() + "`");
    }
    if (!own.contains("tokenizer")) {
      return refuse(".weights: " + shown(model.weights.path) + " has no tokenizer",
                    "export it from a folder of runs with its tokenizer");
    }
    if (own.contains("inputs")) {
      return refuse(".weights: " + shown(model.weights.path) + " reads other models",
                    "use the run that it was exported from: {run: RUN}");
    }
    const Node options = node_of_json(own.at("options"), model.weights.path);
    model.model = component.configure(options);
    const auto configured = component.configure(merge(options, written.own), errors, path);
    if (!configured) return std::nullopt;
    if (canonical_json(configured->options) != canonical_json(model.model.options)) {
      return refuse(": its options differ from those of " + shown(model.weights.path),
                    "remove them: the exported model has its own");
    }
    return model;
  } catch (const Error& error) {
    errors.add(location, path + ".weights: " + error.what(), "", error.code());
    return std::nullopt;
  }
}

}  // namespace

RunFinder& run_finder() {
  static RunFinder finder;
  return finder;
}

Node effective_input(const InputDecl& input, const Node& written, const Registries& registries) {
  Node filled = written.is_null() ? input.by_default : written;
  const auto names = [&written](const char* key) { return written.find(key) != nullptr; };
  const bool is_whole =
      names("model") || names("fit") || names("infer") || names("import") || names("run");
  const bool is_part = written.is_mapping() && !is_whole;
  if (is_part && input.by_default.is_mapping()) filled = merge(input.by_default, written);
  const Node* name = filled.is_mapping() ? filled.find("model") : nullptr;
  const Component* model = name ? registries.models.find(name->text()) : nullptr;
  if (!model || model->training.entries().empty()) return filled;
  const Node* train = filled.find("train");
  return filled.with({"train", train ? merge(model->training, *train) : model->training, {}});
}

std::string capability_mismatch(const InputDecl& input, const Component& model) {
  std::vector<std::string> lacking, serving;
  for (const auto& each : input.capabilities) {
    if (!model.can(each)) lacking.push_back(each);
  }
  for (const auto& each : input.without) {
    if (model.can(each)) serving.push_back(each);
  }
  if (!lacking.empty()) {
    return (lacking.size() == 1 ? "lacks the capability " : "lacks the capabilities ") +
           join(lacking);
  }
  const auto serves = [&model](const std::string& each) { return model.can(each); };
  if (!input.one_of.empty() && std::none_of(input.one_of.begin(), input.one_of.end(), serves)) {
    return "has none of the capabilities " + join(input.one_of);
  }
  return serving.empty()
             ? ""
             : "has the capability " + join(serving) + ", which " + input.name + " excludes";
}

std::optional<InlineModel> read_inline_model(const InputDecl& input, const Node& effective,
                                             const TrainOptions& recipe,
                                             const SourceLocation& location,
                                             const Registries& registries, Errors& errors,
                                             const std::string& path) {
  const size_t before = errors.count();
  const auto written = parse_block<InlineOptions>(effective, errors, path);
  if (!written.run.empty() && errors.count() == before) {
    return read_run_model(input, effective, written, location, registries, errors, path);
  }
  InlineModel model;
  model.validate_on = written.validate_on;
  model.is_imported = !written.imported.empty();
  model.weights = written.weights;
  model.train = parse_train_options(written.train, errors, path + ".train");
  if (!written.train.find("seed")) model.train.seed = recipe.seed;
  if (!written.train.find("device")) model.train.device = recipe.device;
  if (!written.train.find("deterministic")) model.train.deterministic = recipe.deterministic;
  const Node* name = effective.find(model.is_imported ? "import" : "model");
  const SourceLocation name_location =
      name && name->location().source ? name->location() : location;
  const Component* component =
      fitting_model(input, model.is_imported ? written.imported : written.model, name_location,
                    registries, errors);
  if (model.is_imported && written.data.is_null() && is_exported_model(model.weights.path)) {
    if (!component) return std::nullopt;
    return read_exported_import(std::move(model), written, *component,
                                location_of(effective, "weights", location), errors, path);
  }
  read_data(written, location, errors, path, model);
  const Node own = model_options(written, component, model.data, errors);
  const auto configured = component ? component->configure(own, errors, path) : std::nullopt;
  if (!configured) return std::nullopt;
  if (!configured->inputs.empty()) {
    errors.add(name_location,
               "the model '" + component->about.name + "' requires the input " +
                   configured->inputs.front().name + ", which inline models do not support",
               "define it as an entry of `artifacts` or `models` and refer to that");
    return std::nullopt;
  }
  model.model = *configured;
  if (component->is_fitted && !model.is_imported) {
    errors.add(name_location, "the model '" + component->about.name + "' is imported, not trained",
               "write it as `import: " + component->about.name + "`");
  }
  if (model.is_imported && component->is_fitted != written.weights.empty()) {
    errors.add(location, component->is_fitted
                             ? path + ".weights: '" + component->about.name +
                                   "' has only the vectors of its tokenizer; remove weights"
                             : path + ".weights is missing: the weights of '" +
                                   component->about.name + "', a safetensors file");
  }
  if (errors.count() == before && !component->is_fitted) {
    check_training(model.model, model.train, {written.own, written.train, location}, errors);
  }
  return errors.count() == before ? std::optional(std::move(model)) : std::nullopt;
}

}  // namespace lvtext
