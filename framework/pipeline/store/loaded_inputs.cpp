#include "framework/pipeline/store/loaded_inputs.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/datasets/packer.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/published.h"
#include "framework/core/model/trainable.h"
#include "framework/core/options/json.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/model_weights.h"
#include "framework/pipeline/store/trained_run.h"
#include "trainers/weights.h"

namespace lvtext {
namespace {

/// The inputs recorded in a model's folder that are models that it reads, with their parts.
struct RecordedInputs {
  NodeInputs inputs;
  std::map<std::string, std::string> parts;
  std::vector<std::string> names;
};

RecordedInputs recorded_inputs(const std::filesystem::path& folder) {
  RecordedInputs recorded;
  const std::string prefix = given_input("");
  const auto description = read_run_description(folder);
  if (!description) return recorded;
  for (const auto& [input_key, unused] : description->at("inputs").items()) {
    if (!input_key.starts_with(prefix)) continue;
    recorded.inputs[input_key] = input_folder(folder, input_key);
    // "inputs.lm", or "inputs.lm@KEY" for each candidate of a selection; tokenizers have
    // ".tokenizer".
    const std::string name = input_key.substr(prefix.size());
    recorded.names.push_back(name.substr(0, name.find_first_of(".@")));
  }
  recorded.parts = description->value("parts", std::map<std::string, std::string>());
  return recorded;
}

/// Sets the tensors of a fitted model, which may have any size.
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

std::string given_input(const std::string& input) {
  return "inputs." + input;
}

std::map<std::string, LoadedModel> read_given_models(
    const NodeInputs& inputs, const std::map<std::string, std::string>& parts,
    const std::vector<std::string>& names, const Registries& registries) {
  std::map<std::string, LoadedModel> given;
  for (const auto& name : names) {
    if (given.contains(name)) continue;
    const LocatedInput at = locate_input(inputs, parts, given_input(name));
    LoadedModel model = read_model(at.folder, registries, at.step);
    const auto tokenizer = inputs.find(at.input_key + kTokenizerOf);  // models of images lack one
    if (tokenizer != inputs.end()) model.tokenizer = read_tokenizer(tokenizer->second);
    given[name] = std::move(model);
  }
  return given;
}

std::string lines_file(const std::string& column) {
  return column + ".txt";
}

Text read_column(const std::filesystem::path& folder, std::shared_ptr<const Tokenizer> tokenizer,
                 const std::string& column, const std::filesystem::path& records) {
  Text text = text_of(read_dataset(folder).column(column), tokenizer);
  const FinishedRun run(folder);
  // Nodes of a plug-in's inference may have no metadata.
  const auto written = run.metadata().is_object()
                           ? run.metadata().value(kLinesOf, std::vector<std::string>())
                           : std::vector<std::string>();
  Text::LineReader lines;
  if (std::find(written.begin(), written.end(), column) != written.end()) {
    lines = [folder, column] {
      return read_written_lines(FinishedRun(folder), lines_file(column));
    };
  } else if (!records.empty()) {
    const auto split = run.manifest().at("options").at("split").get<std::string>();
    lines = [records, split, column] { return read_texts(records, split, column); };
  } else {
    return text;
  }
  return Text(std::move(lines), {text.ids().begin(), text.ids().end()}, std::move(tokenizer));
}

std::filesystem::path records_of(const std::filesystem::path& folder) {
  const FinishedRun run(folder);
  const auto* packer = Packer::components().find(run.manifest().value("component", ""));
  Errors not_reported;  // whether it keeps rows does not depend on options
  if (!packer || !packer->read(Node::mapping({}), not_reported, "")->keeps_rows()) return {};
  return input_folder(folder, "source");
}

std::vector<int64_t> ragged_rows(const std::filesystem::path& folder, const std::string& column) {
  const DatasetColumn values = read_dataset(folder).column(column);
  if (!values.decl().ragged) return {};
  std::vector<int64_t> rows = {0};
  for (int64_t row = 0; row < values.size(); ++row) rows.push_back(rows.back() + values.items(row));
  return rows;
}

TensorMap read_weights(const FinishedRun& run, int64_t step) {
  // Files that are listed in the run's manifest are verified against it; load_model_tensors()
  // verifies all files against the manifest of the weights.
  const std::string name = "snapshots/" + step_folder_name(step);
  if (run.lists(name + "/manifest.json")) {
    run.read(name + "/manifest.json");
  } else {
    check_kept(run.folder(), step);
  }
  try {
    return load_model_tensors(run.folder() / name);
  } catch (const DataError& error) {
    throw DamagedRun(run.folder(), error.what());
  }
}

std::map<std::string, LocatedInput> recorded_models(const std::filesystem::path& folder) {
  const RecordedInputs recorded = recorded_inputs(folder);
  std::map<std::string, LocatedInput> models;
  for (const auto& name : recorded.names) {
    models[name] = locate_input(recorded.inputs, recorded.parts, given_input(name));
  }
  return models;
}

LoadedModel build_model(const nlohmann::ordered_json& metadata,
                        std::map<std::string, LoadedModel> models, const Registries& registries,
                        const TensorMap& weights, const std::filesystem::path& location,
                        const std::string& device) {
  LoadedModel loaded;
  loaded.component = metadata.at("model").get<std::string>();
  const Configured configured = registries.models.get(loaded.component)
                                    .configure(node_of_json(metadata.at("options"), location));
  const ModelInputs inputs{metadata.at("seed").get<uint64_t>(),
                           stream_shapes_from_json(metadata.at("streams")), std::move(models)};
  if (configured.fit) {
    const std::shared_ptr<Fitted> model = configured.fit(inputs);
    set_buffers(*model, weights, location);
    model->to(resolve_device(device));
    loaded.model = model;
  } else {
    const std::shared_ptr<Trainable> model = configured.model(inputs);
    model->to(resolve_device(device));
    for (const auto& module : model->frozen()) module->to(resolve_device(device));
    const TensorMap requested = model_tensors(*model);
    const auto* published = dynamic_cast<const Published*>(model.get());
    const bool is_published = published != nullptr && metadata.value(kPublishedNames, false);
    load_into(requested,
              is_published ? from_published(*published, requested, weights, location) : weights,
              location.string());
    loaded.model = model;
  }
  loaded.model->eval();
  return loaded;
}

LoadedModel build_model(const nlohmann::ordered_json& metadata, const std::filesystem::path& folder,
                        const Registries& registries, const TensorMap& weights,
                        const std::filesystem::path& location, const std::string& device) {
  const RecordedInputs recorded = recorded_inputs(folder);
  return build_model(metadata,
                     read_given_models(recorded.inputs, recorded.parts, recorded.names, registries),
                     registries, weights, location, device);
}

LoadedModel read_model(const std::filesystem::path& folder, const Registries& registries,
                       std::optional<int64_t> step, const std::string& device) {
  const FinishedRun run(folder);
  const auto& metadata = run.metadata();
  if (!metadata.contains("selected_step")) {
    throw MissingError("'" + folder.string() +
                       "' is not a trained or fitted model; see `lvtext runs ls`");
  }
  const auto selected = metadata.at("selected_step").get<int64_t>();
  const int64_t requested = step.value_or(selected);
  const auto location = folder / "snapshots" / step_folder_name(requested);
  LoadedModel loaded =
      build_model(metadata, folder, registries, read_weights(run, requested), location, device);
  loaded.step = requested;
  loaded.identity = run.identity().substr(0, 8);
  if (requested != selected) loaded.identity += "@" + std::to_string(requested);
  loaded.published = metadata.value("published", false);
  loaded.source = metadata.value("source", "");
  loaded.sentences = metadata.value("sentences", int64_t{0});
  return loaded;
}

std::map<std::string, at::Tensor> read_tensors(const std::filesystem::path& folder) {
  return read_safetensors(FinishedRun(folder).file(kTensorsFile)).tensors;
}

}  // namespace lvtext
