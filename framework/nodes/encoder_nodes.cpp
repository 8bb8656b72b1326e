#include "framework/nodes/encoder_nodes.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/checkpoint.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/model_block.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/json.h"
#include "framework/options/mapping.h"
#include "framework/options/numbers.h"
#include "framework/options/yaml.h"
#include "framework/tensor/device.h"
#include "framework/text/text_vectors.h"
#include "trainers/trainer.h"

namespace lvtext {
namespace {

/// The recipe's train block, as far as an encoder takes it, below InferSent's, below its own.
Node train_of(const EncoderBlock& block, const Node& recipe) {
  const Node authors = parse_yaml_or_throw(
      "{stop: 20e, stop_when: [{type: lr_below, value: 1e-5}], batch: {sentences: 64}, optim: {default: {type: sgd, lr: 0.1, clip_norm: 5, "
      "schedule: {type: reduce_on_plateau, factor: 0.2, patience: 1}}}}",
      "encoder defaults");
  return merge(merge(shared_train(recipe), authors), block.train);
}

/// Where word vectors are given, the model's are as wide unless it says otherwise.
Node model_options(const EncoderBlock& block) {
  if (block.vectors.empty() || block.own.find("embedding")) return block.own;
  const int64_t width = read_text_vectors(block.vectors, 1).width;
  return block.own.with({"embedding", Node::scalar(std::to_string(width)), {}});
}

/// Given word vectors must be as wide as the model's are said to be.
void check_width(const EncoderBlock& block, Errors& errors) {
  const Node* embedding = block.own.find("embedding");
  const auto wanted = embedding ? parse_int(embedding->text()) : std::nullopt;
  if (block.vectors.empty() || !wanted) return;
  try {
    const int64_t width = read_text_vectors(block.vectors, 1).width;
    if (width == *wanted) return;
    errors.add(embedding->mark(),
               "the word vectors of " + shown(block.vectors) + " have " + std::to_string(width) +
                   " numbers, and embedding is " + embedding->text(),
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
                          const EncoderBlock& block, const std::string& words,
                          const std::string& device) {
  const ModelEntry& entry = registries.models.get(block.model);
  const Node options = model_options(block);
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kFit;
  node.component = block.model;
  node.revision = entry.revision;
  node.plugin = entry.about.plugin;
  node.options = {{"model", canonical_json(entry.canonical(options))},
                  {"weights", sha256_file(block.weights)},
                  {"train", {{"device", device_class(device)}}}};
  node.inputs = {{"words", words}};
  node.run = [&entry, options, block](NodeRun& run) {
    const int64_t vocabulary = read_words(run.input("words")).size();
    const auto model = entry.build(options, ModelInputs{vocabulary, 0, 0});
    load_initial(*model, run.input("words"));
    load_weights(*model, block.weights);
    CheckpointContents contents;
    contents.model = model_tensors(*model);
    save_checkpoint(run.folder.snapshots(), 0, contents);
    const std::string folder = "snapshots/" + step_folder_name(0);
    run.outputs = {folder + "/manifest.json", folder + "/model.safetensors"};
    run.facts = {{"model", block.model},     {"options", canonical_json(entry.canonical(options))},
                 {"vocabulary", vocabulary}, {"seed", 0},
                 {"selected_step", 0},       {"published", true}};
  };
  return graph.add(std::move(node));
}

}  // namespace

void check_encoder(const Node& encoder, const Registries& registries, Errors& errors,
                   const std::string& path) {
  const EncoderBlock block = parse_block<EncoderBlock>(encoder, errors, path);
  const ModelPurpose purpose = {
      [](const ModelEntry& model) { return model.can("embeds_sentences"); },
      "does not embed sentences"};
  check_model_block(encoder, block.model, block.own, purpose, registries, errors, path);
  parse_options<TrainOptions>(block.train, errors, {}, path + ".train");
  if (const ModelEntry* entry = registries.models.find(block.model);
      entry && purpose.fits(*entry)) {
    check_training(*entry, block.own, train_of(block, Node::mapping({})), encoder.mark(), errors);
  }
  check_width(block, errors);
  const auto sets = record_set_names(manifest_folders());
  if (std::find(sets.begin(), sets.end(), block.data.set) != sets.end()) return;
  const Node* data = encoder.find("data");
  const Node* set = data && data->is_mapping() ? data->find("set") : nullptr;
  errors.add(set ? set->mark() : encoder.mark(),
             path + ".data.set: '" + block.data.set + "' is no set of records",
             suggestion(block.data.set, sets));
}

EncoderNodes add_encoder(Graph& graph, const Registries& registries, const std::string& name,
                         const EncoderBlock& block, const Node& train, const DataPlaces& places,
                         const std::string& config) {
  const TrainOptions options = read_train_options(train_of(block, train));
  if (!block.weights.empty()) {
    const std::string words = add_words(graph, name + "-words", "", block.words, block.vectors);
    return {add_published(graph, registries, name, block, words, options.device), words};
  }
  const RecordNodes records =
      add_records(graph, name, block.data, block.words, block.vectors, places);
  Training training{name,
                    block.model,
                    model_options(block),
                    options,
                    records.packs.at("train"),
                    records.packs.at("valid"),
                    config};
  training.own_data = true;
  if (!block.vectors.empty()) training.initial = records.words;
  return {add_training(graph, registries, training), records.words};
}

}  // namespace lvtext
