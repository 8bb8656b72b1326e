#include "framework/pipeline/evaluate/recorded_encoder.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/scratch_folder.h"
#include "framework/core/options/json.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/input_reader.h"
#include "framework/pipeline/store/exported_model.h"
#include "framework/pipeline/store/finished_data.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Whether an input of a node belongs to an input of its component: "text", "text:captions",
/// "text[1]", "text.tokenizer".
bool belongs_to(const std::string& input_key, const std::string& input) {
  const char next = input_key.size() > input.size() ? input_key[input.size()] : '\0';
  return input_key.starts_with(input) &&
         (next == '\0' || next == ':' || next == '[' || next == '.' || next == '@');
}

bool is_suffixed(const std::string& input_key) {
  return input_key.ends_with(kTokenizerOf) || input_key.ends_with(kRecordsOf);
}

/// The columns of vectors of this width of a finished node.
std::vector<std::string> vector_columns(const fs::path& node, int64_t width) {
  std::vector<std::string> names;
  const Dataset dataset = read_dataset(node);
  for (const DatasetColumn& column : dataset.columns()) {
    const ColumnDecl& decl = column.decl();
    if (decl.kind == ColumnKind::kVector && decl.width() == width) names.push_back(decl.name);
  }
  return names;
}

}  // namespace

std::shared_ptr<RecordedEncoder::Stage> RecordedEncoder::stage_of(const fs::path& node,
                                                                  const Registries& registries) {
  const auto description = read_run_description(node);
  const Component* component =
      description ? registries.inference.find(description->value("component", "")) : nullptr;
  if (!component || component->rows_of.empty()) return nullptr;
  auto stage = std::make_shared<Stage>();
  stage->component = component->configure(node_of_json(description->at("options"), node));
  stage->rows = component->rows_of;
  const auto recorded = description->at("inputs").get<std::map<std::string, std::string>>();
  std::vector<PlannedInput> planned;
  NodeInputs folders;
  for (const InputDecl& input : stage->component.inputs) {
    const bool has_rows = input.name == stage->rows;
    for (const auto& [input_key, name] : recorded) {
      if (!belongs_to(input_key, input.name)) continue;
      if (has_rows && input.type == ArtifactType::kDataset && !is_suffixed(input_key)) {
        if (!stage->source) {
          stage->source = stage_of(input_folder(node, input_key), registries);
        }
        if (!stage->source) return nullptr;
      }
      if (has_rows) continue;
      folders[input_key] = input_folder(node, input_key);
      if (is_suffixed(input_key)) continue;
      const size_t colon = input_key.find(':');
      planned.push_back({.input_key = input_key,
                         .name = input.name,
                         .type = input.type,
                         .typical = "",
                         .column = colon == std::string::npos ? "" : input_key.substr(colon + 1),
                         .device = "cpu"});
    }
  }
  const auto parts = description->value("parts", std::map<std::string, std::string>());
  stage->inputs = InputReader(registries, planned, folders, parts).read();
  return stage;
}

RecordedEncoder::RecordedEncoder(const TrainedRun& run, int64_t width,
                                 const Registries& registries) {
  if (is_exported_model(run.folder)) {
    throw MissingError("'" + run.folder.string() +
                       "' is an exported model without data; give the run that it was exported "
                       "from, whose data name the encoder of its vectors");
  }
  const auto description = read_run_description(run.folder);
  for (const auto& [input_key, unused] : description->at("inputs").items()) {
    if (!input_key.starts_with("train") || is_suffixed(input_key)) continue;
    const fs::path node = input_folder(run.folder, input_key);
    const auto stage = stage_of(node, registries);
    const auto columns = stage ? vector_columns(node, width) : std::vector<std::string>();
    if (columns.empty()) continue;
    last_ = stage;
    column_ = columns.front();
    return;
  }
  throw MissingError("the training data of '" + run.folder.filename().string() +
                     "' have no vectors of width " + std::to_string(width) +
                     " that were computed from texts, so that there is no encoder of texts");
}

Dataset dataset_of(const Inferred& inferred) {
  const ScratchFolder folder;
  write_inferred(folder.path(), inferred);
  return Dataset(folder.path() / kDatasetFile);
}

Inferred RecordedEncoder::run(const Stage& stage, const std::vector<std::string>& lines) {
  Inputs inputs = stage.inputs;
  if (stage.source) {
    inputs.add(stage.rows, dataset_of(run(*stage.source, lines)));
  } else {
    inputs.add(stage.rows, Text(lines));
  }
  return stage.component.inference->run(inputs, [](const std::string&) {});
}

Dataset RecordedEncoder::encode(const std::vector<std::string>& lines) const {
  const at::NoGradGuard no_grad;
  return dataset_of(run(*last_, lines));
}

}  // namespace lvtext
