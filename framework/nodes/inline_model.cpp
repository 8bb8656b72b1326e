#include "framework/nodes/inline_model.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/checkpoint.h"
#include "framework/nodes/component_nodes.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/json.h"
#include "framework/options/mapping.h"
#include "framework/options/numbers.h"
#include "framework/options/option_error.h"
#include "framework/tensor/device.h"
#include "framework/tensor/shapes_only.h"
#include "framework/text/token_ids.h"
#include "trainers/layout.h"
#include "trainers/trainer.h"

namespace lvtext {
namespace {

/// Where the option was written, or the nearest mapping above it; none if nothing of it was.
std::optional<Mark> written_mark(const Node& tree, const std::string& option) {
  std::optional<Mark> mark;
  const Node* at = &tree;
  for (const auto& key : split(option, '.')) {
    const Node::Entry* entry = at->find_entry(key);
    if (entry == nullptr) break;
    if (entry->key_mark.source) mark = entry->key_mark;
    at = &entry->value;
  }
  return mark;
}

/// Where the tokenizer's words have vectors, the model's are as wide unless it says otherwise.
Node model_options(const InlineModel& inlined, const DataBlock& data) {
  const int64_t width = data.tokenizer->vector_width();
  if (width == 0 || inlined.own.find("embedding")) return inlined.own;
  return inlined.own.with({"embedding", Node::scalar(std::to_string(width)), {}});
}

/// Given word vectors must be as wide as the model's are said to be.
void check_width(const InlineModel& inlined, const DataBlock& data, Errors& errors) {
  const Node* embedding = inlined.own.find("embedding");
  const auto wanted = embedding ? parse_int(embedding->text()) : std::nullopt;
  if (!wanted) return;
  try {
    const int64_t width = data.tokenizer->vector_width();
    if (width == 0 || width == *wanted) return;
    errors.add(embedding->mark(),
               "the word vectors of " + shown(data.tokenizer->given_file()) + " have " +
                   std::to_string(width) + " numbers, and embedding is " + embedding->text(),
               "leave embedding out: the model takes their width");
  } catch (const Error&) {
    // A file that cannot be read is said with its own exit code, where the graph is made.
  }
}

/// Everything of the model but its word vectors.
void load_weights(Trainable& model, const std::filesystem::path& file) {
  TensorMap wanted = model_tensors(model);
  wanted.erase(kWordVectors);
  load_into(wanted, read_safetensors(file).tensors, file.string());
}

std::string add_published(Graph& graph, const Registries& registries, const std::string& name,
                          const InlineModel& inlined, const DataBlock& data,
                          const std::string& device) {
  const Component& entry = registries.models.get(inlined.model);
  const Node options = model_options(inlined, data);
  const std::string words = add_tokenizer(graph, name + "-tokenizer", "", data.tokenizer);
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kFit;
  node.component = inlined.model;
  node.revision = entry.revision;
  node.plugin = entry.about.plugin;
  node.options = {{"model", canonical_json(entry.canonical(options))},
                  {"weights", sha256_file(inlined.weights)},
                  {"train", {{"device", device_class(device)}}}};
  node.inputs = {{"tokenizer", words}};
  node.run = [&entry, options, inlined](NodeRun& run) {
    const int64_t vocabulary = read_tokenizer(run.input("tokenizer"))->size();
    const auto model = entry.model(options, ModelInputs{vocabulary, 0, 0});
    load_initial(*model, run.input("tokenizer"));
    load_weights(*model, inlined.weights);
    CheckpointContents contents;
    contents.model = model_tensors(*model);
    save_checkpoint(run.folder.snapshots(), 0, contents);
    const std::string folder = "snapshots/" + step_folder_name(0);
    run.outputs = {folder + "/manifest.json", folder + "/model.safetensors"};
    run.facts = {{"model", inlined.model},   {"options", canonical_json(entry.canonical(options))},
                 {"vocabulary", vocabulary}, {"seed", 0},
                 {"selected_step", 0},       {"published", true}};
  };
  return graph.add(std::move(node));
}

/// The model by its name and what it serves; every mistake goes to the errors.
const Component* fitting_model(const InputDecl& input, const std::string& name, const Mark& mark,
                               const Registries& registries, Errors& errors) {
  const Component* model = registries.models.find(name);
  if (!model) {
    errors.add(mark, registries.models.unknown_message(name),
               registries.models.known_message(name));
    return nullptr;
  }
  const std::string reason = misfit(input, *model);
  if (reason.empty()) return model;
  std::vector<std::string> fitting;
  for (const auto& each : registries.models.names()) {
    if (misfit(input, registries.models.get(each)).empty()) fitting.push_back(each);
  }
  errors.add(mark, "the model '" + name + "' " + reason, "models that fit: " + join(fitting));
  return nullptr;
}

void check_data(const InlineModel& inlined, const Mark& mark, Errors& errors,
                const std::string& path) {
  const bool is_text = inline_text(inlined, errors, path + ".data").has_value();
  if (is_text && inlined.weights.empty()) return;
  const std::optional<DataBlock> data = inline_data(inlined, errors, path);
  if (data) check_width(inlined, *data, errors);
  if (!inlined.weights.empty()) {
    if (data && !data->tokenizer->given_file().empty()) return;
    errors.add(mark, path + ".weights: published weights were trained on word vectors",
               "name their file: data: {tokenizer: {type: word_vectors, file: FILE}}");
    return;
  }
  if (!data) {
    errors.add(mark, path + ".data is missing: what the model is trained on");
    return;
  }
  const auto sets = manifest_names(manifest_folders());
  const DataOptions& source = data->source;
  if (!source.train.empty() || std::find(sets.begin(), sets.end(), source.set) != sets.end()) {
    return;
  }
  const Node* set = inlined.data.find("set");
  errors.add(set && set->mark().source ? set->mark() : mark,
             path + ".data.set: unknown data set '" + source.set + "'",
             suggestion(source.set, sets));
}

std::string train_on_text(Graph& graph, const Registries& registries, const InlineModel& inlined,
                          const InlineText& data, const InlinePlace& place) {
  TrainOptions options = read_train_options(merge(shared_train(place.train), inlined.train));
  options.seed = place.seed;
  const InlinePlace::Source source = place.text(data.from);
  const auto part = [&](const char* of, const SentenceRange& range) {
    return add_sentences(graph, place.name + "-" + of, source.node, range);
  };
  const bool has_more = source.sentences == 0 || data.at_most < source.sentences;
  const int64_t used = data.at_most > 0 && has_more ? data.at_most : 0;
  std::string own = source.node, valid;
  double share = 1;
  if (inlined.validate_on == kOwnText) {
    share = 1 - kHeldOut;
    valid = part("valid", {.at_most = used, .from_share = share});
    own = part("text", {.at_most = used, .to_share = share});
  } else {
    valid = place.text(inlined.validate_on).node;
    if (used > 0) own = part("text", {.at_most = used});
  }
  const auto sentences =
      static_cast<int64_t>(static_cast<double>(used > 0 ? used : source.sentences) * share);
  return add_training(
      graph, registries,
      {place.name, inlined.model, inlined.own, options, own, valid, place.config, sentences});
}

}  // namespace

std::optional<InlineText> inline_text(const InlineModel& model, Errors& errors,
                                      const std::string& path) {
  if (model.data.is_scalar()) return InlineText{model.data.text()};
  if (model.data.is_null()) return std::nullopt;  // published weights need no data
  if (model.data.is_mapping() && !model.data.find("from")) return std::nullopt;
  return parse_options<InlineText>(model.data, errors, {}, path);
}

std::optional<DataBlock> inline_data(const InlineModel& model, Errors& errors,
                                     const std::string& path) {
  if (!model.data.is_mapping() || model.data.find("from")) return std::nullopt;
  return parse_options<DataBlock>(model.data, errors, {}, path + ".data");
}

Node shared_train(const Node& recipe) {
  Node shared = Node::mapping({});
  for (const char* key : {"seed", "device"}) {
    if (const auto* entry = recipe.find_entry(key)) shared = shared.with(*entry);
  }
  return shared;
}

Node effective_input(const InputDecl& input, const Node& written, const Registries& registries) {
  Node filled = written.is_null() ? input.by_default : written;
  const bool is_part = written.is_mapping() && !written.find("model");
  if (is_part && input.by_default.is_mapping()) filled = merge(input.by_default, written);
  const Node* name = filled.is_mapping() ? filled.find("model") : nullptr;
  const Component* model = name ? registries.models.find(name->text()) : nullptr;
  if (!model || model->training.entries().empty()) return filled;
  const Node* train = filled.find("train");
  return filled.with({"train", train ? merge(model->training, *train) : model->training, {}});
}

std::string misfit(const InputDecl& input, const Component& model) {
  std::vector<std::string> lacking, serving;
  for (const auto& each : input.capabilities) {
    if (!model.can(each)) lacking.push_back(each);
  }
  for (const auto& each : input.without) {
    if (model.can(each)) serving.push_back(each);
  }
  if (!lacking.empty()) return "does not serve: " + join(lacking);
  return serving.empty() ? "" : "serves " + join(serving) + ", which " + input.name + " must not";
}

void check_inline_model(const InputDecl& input, const Node& effective, const Mark& mark,
                        const Registries& registries, Errors& errors, const std::string& path) {
  const InlineModel inlined = parse_block<InlineModel>(effective, errors, path);
  const Node* written = effective.find("model");
  const Mark model_mark = written && written->mark().source ? written->mark() : mark;
  if (const Component* model =
          fitting_model(input, inlined.model, model_mark, registries, errors)) {
    model->check(inlined.own, errors, path);
    check_training(*model, inlined.own, inlined.train, mark, errors);
  }
  parse_options<TrainOptions>(inlined.train, errors, {}, path + ".train");
  check_data(inlined, mark, errors, path);
}

void check_training(const Component& entry, const Node& own, const Node& train, const Mark& mark,
                    Errors& errors) {
  Errors flaws;
  entry.check(own, flaws, "");
  parse_options<TrainOptions>(train, flaws);
  if (!flaws.empty() || entry.inputs) return;
  const Node options = Node::mapping({{"train", train, {}}});
  const auto line_of = [&](const std::string& option) {
    const Node& tree = option.starts_with("train.") ? options : own;
    return written_mark(tree, option).value_or(mark);
  };
  try {
    const ShapesOnly shapes;
    const auto model = entry.model(own, ModelInputs{kUnk + 2, 0, 2});
    const Layout layout(*model, read_train_options(train));
  } catch (const OptionError& error) {
    for (const OptionMistake& mistake : error.mistakes) {
      errors.add(line_of(mistake.option),
                 "model '" + entry.about.name + "': " + mistake.option + ": " + mistake.message);
    }
  } catch (const ConfigError& error) {
    errors.add(mark, "model '" + entry.about.name + "': " + error.what());
  } catch (const std::exception&) {
    // Not a matter of options: what is wrong with the model itself is said where it is trained.
  }
}

bool uses_row(const InlineModel& model) {
  Errors errors;
  const auto text = inline_text(model, errors, "data");
  return text && (text->from.starts_with("row.") || model.validate_on.starts_with("row."));
}

std::string selected_on(const InlineModel& model) {
  const Node* select = model.train.find("select");
  Errors errors;
  if ((select && select->text() != "best") || !inline_text(model, errors, "data")) return "";
  if (model.validate_on == kOwnText) {
    return "the last 5 % of its own text, which is then not trained on";
  }
  return model.validate_on == "data.valid" ? "the recipe's validation text" : model.validate_on;
}

std::string add_inline_model(Graph& graph, const Registries& registries, const InlineModel& inlined,
                             const InlinePlace& place) {
  Errors errors;
  if (inlined.weights.empty()) {
    if (const auto text = inline_text(inlined, errors, "data")) {
      return train_on_text(graph, registries, inlined, *text, place);
    }
  }
  const TrainOptions options = read_train_options(merge(shared_train(place.train), inlined.train));
  const DataBlock data = inline_data(inlined, errors, place.name).value();
  if (!inlined.weights.empty()) {
    return add_published(graph, registries, place.name, inlined, data, options.device);
  }
  const DataNodes nodes = add_data(graph, place.name, data, place.places);
  Training training{place.name,  inlined.model,           model_options(inlined, data),
                    options,     nodes.packs.at("train"), nodes.packs.at("valid"),
                    place.config};
  training.own_data = true;
  if (data.tokenizer->vector_width() > 0) training.initial = nodes.tokenizer;
  return add_training(graph, registries, training);
}

}  // namespace lvtext
