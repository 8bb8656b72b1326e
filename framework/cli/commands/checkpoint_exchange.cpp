#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/cli/commands/checkpoint_location.h"
#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/log.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/exchange.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/model/dataset_loader.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/trained_run.h"
#include "trainers/weights.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ExportArguments {
  std::vector<std::string> source;
  std::string output, out;
};

struct ImportArguments {
  std::string source, output;
};

/// Model configuration in exported folders: everything needed to build the model.
struct ModelConfig {
  std::string model;
  int revision = 1;
  Json options;
  StreamShapes streams;
  uint64_t seed = 0;
  int64_t step = 0;
};

/// Special token ids of the training text under the names of transformers; empty without a text.
Json token_keys(const StreamShapes& streams) {
  for (const ColumnDecl& field : streams.at("train")) {
    if (field.kind != ColumnKind::kText) continue;
    const Vocabulary& ids = field.vocabulary;
    Json json = {{"vocab_size", ids.size}};
    if (ids.pad) json["pad_token_id"] = *ids.pad;
    if (ids.bos) json["bos_token_id"] = *ids.bos;
    if (ids.eos) json["eos_token_id"] = *ids.eos;
    if (ids.unk) json["unk_token_id"] = *ids.unk;
    return json;
  }
  return Json::object();
}

Json to_json(const ModelConfig& config) {
  Json json = {
      {"schema", "lvtext.model/1"}, {"model_type", "lvtext"}, {"architectures", {config.model}}};
  json.update(token_keys(config.streams));
  json["lvtext"] = {{"model", config.model},     {"revision", config.revision},
                    {"options", config.options}, {"streams", lvtext::to_json(config.streams)},
                    {"seed", config.seed},       {"step", config.step}};
  return json;
}

ModelConfig from_json(const Json& json, const std::string& location) {
  try {
    const Json& own = json.at("lvtext");
    ModelConfig config{own.at("model").get<std::string>(),
                       own.at("revision").get<int>(),
                       own.at("options"),
                       stream_shapes_from_json(own.at("streams")),
                       own.at("seed").get<uint64_t>(),
                       own.at("step").get<int64_t>()};
    const bool has_data = config.streams.contains("train");
    if (has_data && config.step >= 0 && config.options.is_object()) return config;
  } catch (const nlohmann::json::exception&) {
    // Reported below.
  } catch (const DataError&) {
    // Reported below.
  }
  throw DataError("'" + location +
                  "': config.json does not specify the model; it needs the key "
                  "`lvtext` with model, revision, options, streams, seed and step, as "
                  "`lvtext checkpoint export` writes them");
}

Json read_json(const fs::path& path) {
  Json json = parse_json<Json>(read_file(path, 1 << 24));
  if (!json.is_object()) throw DataError("'" + path.string() + "' is not a JSON object");
  return json;
}

/// Model configuration from a training's node.json. The streams are those of the manifest, or of
/// `data` if the training is not finished.
ModelConfig config_of(const fs::path& run, const fs::path& data) {
  const Json node = read_json(run / "node.json");
  try {
    ModelConfig config;
    config.model = node.at("component").get<std::string>();
    config.revision = node.at("revision").get<int>();
    config.options = node.at("options").at("model");
    config.seed = node.at("options").at("train").at("seed").get<uint64_t>();
    const auto manifest = read_run_manifest(run);
    config.streams = manifest ? stream_shapes_from_json(manifest->at("metadata").at("streams"))
                              : StreamShapes{{"train", field_shapes({read_dataset(data)})}};
    return config;
  } catch (const nlohmann::json::exception&) {
    throw DataError("'" + (run / "node.json").string() + "' does not describe a training");
  }
}

/// Reads a run's weights, configuration and tokenizer. Logs a warning if the tokenizer is missing.
ExchangeFolder from_run(const fs::path& run, const fs::path& weights) {
  // The input folder is missing if the run was copied without its inputs.
  const fs::path text = run.parent_path() / input_name(run, "train");
  ModelConfig config = config_of(run, text);
  Checkpoint checkpoint = load_checkpoint(weights);
  config.step = checkpoint.step;
  ExchangeFolder contents{std::move(checkpoint.contents.model), to_json(config), ""};
  try {
    const FinishedRun tokenizer(text.parent_path() / input_name(text, "tokenizer"));
    contents.tokenizer = tokenizer.read("tokenizer.model");
  } catch (const MissingError& error) {
    log_warning(std::string("exported without a tokenizer: ") + error.what());
  }
  return contents;
}

/// Reads a checkpoint written by import, which contains its configuration.
ExchangeFolder from_imported(const fs::path& weights) {
  Checkpoint checkpoint = load_checkpoint(weights);
  const auto config = checkpoint.contents.extra.find("config.json");
  if (config == checkpoint.contents.extra.end()) {
    throw MissingError("'" + weights.string() +
                       "' is not in the folder of a run, so its model is " +
                       "unknown; give a run's folder, or .../snapshots/step-N within it");
  }
  return {std::move(checkpoint.contents.model), Json::parse(config->second, nullptr, false),
          checkpoint.contents.extra["tokenizer.model"]};
}

void export_weights(const ExportArguments& arguments, Session& session) {
  if (!arguments.out.empty()) session.runs = arguments.out;
  const fs::path weights = checkpoint_of(arguments.source, session);
  // Two levels up from .../snapshots/step-N.
  const fs::path run = fs::weakly_canonical(weights).parent_path().parent_path();
  std::error_code failed;
  const ExchangeFolder contents =
      fs::exists(run / "node.json", failed) ? from_run(run, weights) : from_imported(weights);
  write_exchange(arguments.output, contents);
  print_text(arguments.output + ": " + std::to_string(contents.tensors.size()) + " tensors of " +
             contents.config.at("lvtext").at("model").get<std::string>() + ", step " +
             contents.config.at("lvtext").at("step").dump());
}

void import_weights(const ImportArguments& arguments, Session& session) {
  const ExchangeFolder given = read_exchange(arguments.source);
  const ModelConfig config = from_json(given.config, arguments.source);
  const Component& entry = session.registries().models.get(config.model);
  if (entry.revision != config.revision) {
    log_warning("the weights were written by revision " + std::to_string(config.revision) + " of " +
                config.model + ", this program has revision " + std::to_string(entry.revision) +
                ": results may differ");
  }
  const Node options = node_of_json(config.options, arguments.source);
  const Configured configured = entry.configure(options);
  const auto model = configured.model(ModelInputs{config.seed, config.streams});
  load_into(model_tensors(*model), given.tensors, arguments.source);
  const fs::path folder = fs::path(arguments.output) / step_folder_name(config.step);
  std::error_code failed;
  if (fs::exists(folder, failed)) {
    throw Error(Exit::kCannotWrite, "'" + folder.string() + "' already exists; give a folder " +
                                        "without a checkpoint of this step");
  }
  CheckpointContents contents;
  contents.model = given.tensors;
  contents.config = to_yaml(configured.options.with({"model", Node::scalar(config.model), {}}));
  contents.extra["config.json"] = to_json(config).dump(2) + "\n";
  if (!given.tokenizer.empty()) contents.extra["tokenizer.model"] = given.tokenizer;
  save_checkpoint(arguments.output, config.step, contents);
  print_text(folder.string() + ": " + std::to_string(given.tensors.size()) + " tensors of " +
             config.model);
}

}  // namespace

void add_checkpoint_exchange(CLI::App& group, Session& session) {
  const auto exported = std::make_shared<ExportArguments>();
  CLI::App* command =
      group.add_subcommand("export", "writes weights as a folder in the Hugging Face layout");
  command->add_option("FOLDER", exported->source, kCheckpointHelp)->required();
  command->add_option("-o,--output", exported->output, "folder to write; must not exist")
      ->type_name("DIR")
      ->required();
  add_runs_folder(*command, exported->out);
  command->callback([exported, &session] { export_weights(*exported, session); });

  const auto imported = std::make_shared<ImportArguments>();
  command = group.add_subcommand("import",
                                 "creates a checkpoint from a folder in the Hugging Face layout");
  command->add_option("SOURCE", imported->source, "the folder, or its safetensors file")
      ->required();
  command->add_option("-o,--output", imported->output, "folder in which step-N is created")
      ->type_name("DIR")
      ->required();
  command->callback([imported, &session] { import_weights(*imported, session); });
}

}  // namespace lvtext
