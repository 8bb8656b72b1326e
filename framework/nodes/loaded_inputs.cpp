#include "framework/nodes/loaded_inputs.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/checkpoint/checkpoint.h"
#include "framework/checkpoint/finished_run.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/trained_run.h"
#include "framework/options/json.h"
#include "framework/tensor/device.h"
#include "trainers/trainer.h"

namespace lvtext {
namespace {

/// The models that a finished training was given, from the nodes that its folder records.
std::map<std::string, LoadedModel> recorded_models(const std::filesystem::path& folder,
                                                   const Registries& registries) {
  const std::string prefix = given_slot("");
  std::map<std::string, LoadedModel> given;
  const auto description = read_run_description(folder);
  if (!description) return given;
  for (const auto& [slot, unused] : description->at("inputs").items()) {
    if (!slot.starts_with(prefix) || slot.ends_with(kTokenizerOf)) continue;
    LoadedModel model = read_model(input_folder(folder, slot), registries);
    model.tokenizer = read_tokenizer(input_folder(folder, slot + kTokenizerOf));
    given[slot.substr(prefix.size())] = std::move(model);
  }
  return given;
}

/// Gives a fitted model its tensors, whatever their sizes.
void set_buffers(Fitted& model, const TensorMap& tensors, const std::filesystem::path& file) {
  for (auto& buffer : model.named_buffers()) {
    const auto found = tensors.find(buffer.key());
    if (found == tensors.end()) {
      throw DataError("'" + file.string() + "' has no tensor '" + buffer.key() + "'");
    }
    buffer.value().set_data(found->second);
  }
}

}  // namespace

std::string tokenizer_of(const Graph& graph, const std::string& node) {
  const auto& inputs = graph.at(node).inputs;
  if (const auto found = inputs.find("tokenizer"); found != inputs.end()) return found->second;
  if (const auto data = inputs.find("train"); data != inputs.end()) {
    return tokenizer_of(graph, data->second);
  }
  // What inference writes is of its model's tokenizer or, without a model, of its text's.
  const auto model = inputs.find(std::string("model") + kTokenizerOf);
  if (model != inputs.end()) return model->second;
  const auto text = std::find_if(inputs.begin(), inputs.end(), [](const auto& input) {
    return input.first.ends_with(kTokenizerOf);
  });
  LVT_ASSERT(text != inputs.end(), "the node '" + node + "' has no tokenizer");
  return text->second;
}

std::string given_slot(const std::string& input) {
  return "inputs." + input;
}

std::map<std::string, LoadedModel> read_given_models(
    const NodeInputs& inputs, const Registries& registries,
    const std::map<std::string, std::string>& models) {
  std::map<std::string, LoadedModel> given;
  for (const auto& [input, node] : models) {
    LoadedModel model = read_model(inputs.at(given_slot(input)), registries);
    model.tokenizer = read_tokenizer(inputs.at(given_slot(input) + kTokenizerOf));
    given[input] = std::move(model);
  }
  return given;
}

Text read_ids(const std::filesystem::path& folder, std::shared_ptr<const Tokenizer> tokenizer) {
  const DatasetColumn column = read_dataset(folder).column("text");
  std::vector<TokenIds> sentences(column.size());
  for (int64_t i = 0; i < column.size(); ++i) sentences[i] = column.tokens(i);
  return Text(std::move(sentences), std::move(tokenizer));
}

TensorMap read_weights(const FinishedRun& run, int64_t step) {
  // What it lists in its manifest is verified against that, and all of it against the manifest of
  // the weights themselves.
  const std::string name = "snapshots/" + step_folder_name(step);
  if (run.lists(name + "/manifest.json")) run.read(name + "/manifest.json");
  try {
    return load_model_tensors(run.folder() / name);
  } catch (const DataError& error) {
    throw DamagedRun(run.folder(), error.what());
  }
}

std::vector<std::string> written_lines(const std::filesystem::path& folder) {
  const FinishedRun run(folder);
  if (run.lists("text.txt")) return read_text(folder);
  return read_split(input_folder(folder, "source"),
                    run.manifest().at("options").at("split").get<std::string>());
}

LoadedModel read_model(const std::filesystem::path& folder, const Registries& registries,
                       std::optional<int64_t> step, const std::string& device) {
  const FinishedRun run(folder);
  const auto& facts = run.facts();
  if (!facts.contains("selected_step")) {
    throw MissingError("'" + folder.string() + "' is not a training; see `lvtext runs ls`");
  }
  LoadedModel loaded;
  loaded.component = facts.at("model").get<std::string>();
  loaded.step = step.value_or(facts.at("selected_step").get<int64_t>());
  loaded.identity = run.identity().substr(0, 8);
  loaded.published = facts.value("published", false);
  loaded.sentences = facts.value("sentences", int64_t{0});
  const Configured configured =
      registries.models.get(loaded.component)
          .configure(node_of_json(facts.at("options"), folder / "manifest.json"));
  const ModelInputs inputs{facts.at("seed").get<uint64_t>(),
                           stream_shapes_from_json(facts.at("streams")),
                           recorded_models(folder, registries)};
  const auto weights = folder / "snapshots" / step_folder_name(loaded.step);
  if (!std::filesystem::exists(weights)) {
    throw MissingError("'" + folder.string() + "' keeps no weights of step " +
                       std::to_string(loaded.step));
  }
  const TensorMap tensors = read_weights(run, loaded.step);
  if (configured.fit) {
    const std::shared_ptr<Fitted> model = configured.fit(inputs);
    set_buffers(*model, tensors, weights);
    model->to(resolve_device(device));
    loaded.model = model;
  } else {
    const std::shared_ptr<Trainable> model = configured.model(inputs);
    model->to(resolve_device(device));
    for (const auto& module : model->frozen()) module->to(resolve_device(device));
    load_into(model_tensors(*model), tensors, weights.string());
    loaded.model = model;
  }
  loaded.model->eval();
  return loaded;
}

}  // namespace lvtext
