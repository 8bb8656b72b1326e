#include "framework/pipeline/nodes/inline_model.h"

#include <filesystem>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/options/json.h"
#include "framework/core/sources/given_files.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/store/exported_model.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/model_weights.h"
#include "framework/pipeline/store/trained_run.h"
#include "trainers/weights.h"

namespace lvtext {
namespace {

/// "NAME:SHA-256" of a file.
std::string name_and_hash(const std::string& file, const std::string& sha256) {
  return std::filesystem::path(file).filename().string() + ":" + sha256;
}

/// A finished node of another recipe.
GraphNode finished_node(const std::string& name, const std::filesystem::path& folder) {
  const FinishedRun run(folder);
  const auto& manifest = run.manifest();
  GraphNode node;
  node.name = name;
  node.identity = run.identity();
  node.kind = enum_value<NodeKind>(manifest.at("kind").get<std::string>()).value();
  node.component = manifest.at("component").get<std::string>();
  node.revision = manifest.at("revision").get<int>();
  node.options = manifest.at("options");
  node.run = [folder](NodeRun&) {
    throw MissingError("'" + folder.string() + "' no longer exists; run its recipe to restore it");
  };
  return node;
}

/// Adds a finished model of another recipe, with its tokenizer.
std::string add_run(Graph& graph, const std::string& name, const InlineModel& inlined) {
  GraphNode node = finished_node(name, inlined.run);
  node.seed = FinishedRun(inlined.run).metadata().at("seed").get<int64_t>();
  node.plugin = inlined.model.component->about.plugin;
  node.inputs = {{"tokenizer",
                  graph.add(finished_node(name + "-tokenizer", recorded_tokenizer(inlined.run)))}};
  return graph.add(std::move(node));
}

/// Adds the tokenizer of an exported model.
std::string add_exported_tokenizer(Graph& graph, const std::string& name,
                                   const std::string& exported) {
  const auto own = exported_config(exported);
  const auto folder = exported_weights(exported).parent_path();
  GraphNode node{.name = name, .kind = NodeKind::kFit};
  node.component = own.at("tokenizer").get<std::string>();
  node.plugin = TokenizerFit::components().get(node.component).plugin;
  for (const auto& file : own.at("files")) {
    node.options["files"][file.get<std::string>()] = sha256_file(folder / file.get<std::string>());
  }
  node.run = [folder, files = node.options.at("files")](NodeRun& run) {
    for (const auto& [file, unused] : files.items()) {
      write_file_atomic(run.folder.path() / file, read_file(folder / file));
      run.outputs.push_back(file);
    }
  };
  return graph.add(std::move(node));
}

GraphNode imported_node(const std::string& name, const InlineModel& inlined,
                        const std::string& tokenizer) {
  GraphNode node = component_node(inlined.model, NodeKind::kModel, name);
  node.options = {{"model", node.options},
                  {"train", {{"device", device_class(inlined.train.device)}}}};
  node.inputs = {{"tokenizer", tokenizer}};
  return node;
}

/// Adds an exported model.
std::string add_exported(Graph& graph, const Registries& registries, const std::string& name,
                         const InlineModel& inlined) {
  GraphNode node = imported_node(
      name, inlined, add_exported_tokenizer(graph, name + "-tokenizer", inlined.weights.path));
  const auto own = exported_config(inlined.weights.path);
  const std::string sha256 = sha256_file(exported_weights(inlined.weights.path));
  node.options["weights"] = sha256;
  node.options["streams"] = own.at("streams");
  const std::string source = name_and_hash(inlined.weights.path, sha256);
  node.run = [&registries, inlined, own, source](NodeRun& run) {
    // Loaded, which checks that the weights fit.
    const LoadedModel model = load_exported(inlined.weights.path, registries);
    save_weights(run, in_own_form(read_exported(inlined.weights.path), model).tensors);
    run.metadata.update({{"model", own.at("model")},
                         {"options", own.at("options")},
                         {"streams", own.at("streams")},
                         {"seed", own.at("seed")},
                         {"published", own.value("published", false)},
                         {"source", source}});
  };
  return graph.add(std::move(node));
}

std::string add_published(Graph& graph, const std::string& name, const InlineModel& inlined,
                          const DataLocations& locations) {
  const std::string words =
      add_tokenizer(graph, name + "-tokenizer", "", inlined.data->tokenizer, locations);
  GraphNode node = imported_node(name, inlined, words);
  std::string source = name_and_hash(inlined.data->tokenizer->given_file().text(),
                                     graph.at(words).options.at("file").get<std::string>());
  if (!inlined.weights.empty()) {
    const std::string content = content_of(inlined.weights);
    node.options["weights"] = content;
    source = name_and_hash(inlined.weights.text(), content) + "," + source;
  }
  node.run = [inlined, source, locations](NodeRun& run) {
    const auto& tokenizer = run.input("tokenizer");
    const StreamShapes streams = {
        {"train", {{.vocabulary = read_tokenizer(tokenizer)->vocabulary()}}}};
    if (inlined.model.fit) {  // its only tensor
      save_weights(run, read_safetensors(FinishedRun(tokenizer).file(kInitialFile)).tensors);
    } else {
      const auto model = inlined.model.model(ModelInputs{.streams = streams});
      std::vector<std::string> given;
      if (FinishedRun(tokenizer).lists(kInitialFile)) given = load_initial(*model, tokenizer);
      load_published(*model, locate(inlined.weights, locations), given);
      save_weights(run, model_tensors(*model));
    }
    run.metadata.update({{"model", inlined.model.component->about.name},
                         {"options", canonical_json(inlined.model.options)},
                         {"streams", to_json(streams)},
                         {"seed", 0},
                         {"published", true},
                         {"source", source}});
  };
  return graph.add(std::move(node));
}

std::string train_on_text(Graph& graph, const Registries& registries, const InlineModel& inlined,
                          const InlineText& data, const InlineContext& context) {
  TrainOptions options = inlined.train;
  options.seed = context.seed;
  const InlineContext::Source& source = context.text;
  const auto part = [&](const char* of, const SentenceRange& range) {
    return add_sentences(graph, context.name + "-" + of, source.node, range);
  };
  const bool has_more = source.sentences == 0 || data.at_most < source.sentences;
  const int64_t used = data.at_most > 0 && has_more ? data.at_most : 0;
  std::string own = source.node, valid = context.valid;
  LVT_ASSERT(valid.empty() == (inlined.validate_on == kOwnText), "no validation text");
  double share = 1;
  if (valid.empty()) {
    share = 1 - kHeldOut;
    valid = part("valid", {.at_most = used, .from_share = share});
    own = part("text", {.at_most = used, .to_share = share});
  } else if (used > 0) {
    own = part("text", {.at_most = used});
  }
  const auto sentences =
      static_cast<int64_t>(static_cast<double>(used > 0 ? used : source.sentences) * share);
  return add_training(
      graph, registries,
      {context.name, inlined.model, options, own, valid, context.config, sentences});
}

}  // namespace

std::string InlineModel::selected_on() const {
  if (train.select_checkpoint != SelectWeights::kBest || !text) return "";
  if (validate_on == kOwnText) return "the last 5 % of its own text, held out from training";
  return validate_on == "data.valid" ? "the recipe's validation text" : validate_on;
}

std::string add_inline_model(Graph& graph, const Registries& registries, const InlineModel& model,
                             const InlineContext& context) {
  if (!model.run.empty()) return add_run(graph, context.name, model);
  if (model.is_exported()) return add_exported(graph, registries, context.name, model);
  if (model.is_imported) return add_published(graph, context.name, model, context.locations);
  if (model.text) return train_on_text(graph, registries, model, *model.text, context);
  const DataNodes nodes = add_data(graph, context.name, *model.data, context.locations);
  Training training{
      context.name,  model.model, model.train, nodes.packs.at("train"), nodes.packs.at("valid"),
      context.config};
  training.own_data = true;
  if (model.data->tokenizer->vector_width() > 0) training.initial = nodes.tokenizer;
  return add_training(graph, registries, training);
}

}  // namespace lvtext
