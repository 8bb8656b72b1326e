#include "framework/pipeline/store/exported_model.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/base/log.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/published.h"
#include "framework/core/text/tokenizer_fit.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/model_weights.h"
#include "framework/pipeline/store/trained_run.h"
#include "framework/pipeline/store/unfinished_run.h"
#include "trainers/weights.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kConfigSchema = "lvtext.model/1";
constexpr const char* kOwnType = "lvtext";

/// Special token ids of the model's text under the names of transformers; empty without a text.
Json token_keys(const StreamShapes& streams) {
  for (const auto& [stream, fields] : streams) {
    for (const ColumnDecl& field : fields) {
      if (field.kind != ColumnKind::kText) continue;
      const Vocabulary& ids = field.vocabulary;
      Json json = {{"vocab_size", ids.size}};
      if (ids.pad) json["pad_token_id"] = *ids.pad;
      if (ids.bos) json["bos_token_id"] = *ids.bos;
      if (ids.eos) json["eos_token_id"] = *ids.eos;
      if (ids.unk) json["unk_token_id"] = *ids.unk;
      return json;
    }
  }
  return Json::object();
}

/// Adds the tokenizer of the model in `run`, if it has one and its node exists.
void add_tokenizer(const fs::path& run, ExchangeFolder& contents, Json& own) {
  try {
    const FinishedRun tokenizer(recorded_tokenizer(run));
    own["tokenizer"] = tokenizer.manifest().at("component");
    for (const auto& [name, entry] : tokenizer.manifest().at("files").items()) {
      // The vectors are in the weights; node.json describes the node.
      if (name == kNodeFile || name == kInitialFile) continue;
      contents.files[name] = tokenizer.read(name);
      own["files"].push_back(name);
    }
  } catch (const MissingError& error) {
    log_warning(std::string("exported without a tokenizer: ") + error.what());
  }
}

/// The description of the model in a configuration. Throws DataError if there is none.
Json checked_config(const Json& config, const fs::path& path) {
  const Json own = config.is_object() ? config.value(kOwnConfig, Json()) : Json();
  bool valid = own.is_object() && own.value("model", Json()).is_string() &&
               own.value("tokenizer", Json("")).is_string();
  for (const char* key : {"options", "streams"}) {
    valid = valid && own.value(key, Json()).is_object();
  }
  for (const char* key : {"revision", "seed", "step"}) {
    valid = valid && own.value(key, Json()).is_number_unsigned();
  }
  if (valid) return own;
  throw DataError("'" + path.string() +
                  "': config.json does not specify the model; it needs the key `lvtext` with "
                  "model, revision, options, streams, seed and step, as `lvtext checkpoint export` "
                  "writes them; `lvtext checkpoint import DIR -o OUT` reads a folder of another "
                  "program, and OUT/step-... can be used instead");
}

}  // namespace

ExchangeFolder exported_model(const fs::path& run, const fs::path& weights) {
  ExchangeFolder contents;
  Json own;
  try {
    const auto manifest = read_run_manifest(run);
    const Json description = manifest ? manifest->at("metadata") : read_model_file(run);
    const Checkpoint checkpoint = load_checkpoint(weights);
    own = {{"model", description.at("model")},
           {"revision", read_run_description(run).value().at("revision")},
           {"options", description.at("options")},
           {"streams", description.at("streams")},
           {"seed", description.at("seed")},
           {"step", checkpoint.step}};
    for (const char* fact : {"published", "source", "sentences"}) {
      if (description.contains(fact)) own[fact] = description[fact];
    }
    contents.tensors = checkpoint.contents.model;
    contents.config = {
        {"schema", kConfigSchema}, {"model_type", kOwnType}, {"architectures", {own["model"]}}};
    contents.config.update(token_keys(stream_shapes_from_json(own["streams"])));
  } catch (const nlohmann::json::exception&) {
    throw DataError("'" + run.string() + "' does not describe a model");
  }
  add_tokenizer(run, contents, own);
  if (const auto styles = style_names(run); !styles.empty()) own["styles"] = styles;
  for (const auto& [name, model] : recorded_models(run)) {
    const int64_t step = model.step.value_or(
        FinishedRun(model.folder).metadata().value("selected_step", int64_t{0}));
    contents.inputs[name] =
        exported_model(model.folder, model.folder / "snapshots" / step_folder_name(step));
    own["inputs"].push_back(name);
  }
  contents.config[kOwnConfig] = own;
  return contents;
}

ExchangeFolder in_published_form(ExchangeFolder contents, const Registries& registries) {
  Json& own = contents.config.at(kOwnConfig);
  const std::string name = own.at("model");
  const LoadedModel model = build_model(own, std::map<std::string, LoadedModel>(), registries,
                                        contents.tensors, name, "cpu");
  const auto* published = dynamic_cast<const Published*>(model.model.get());
  const Json config = published ? published->published_config() : Json::object();
  if (config.empty()) {
    throw UsageError("the weights of '" + name +
                     "' have no form of another program; export them without --published");
  }
  contents.tensors = to_published(*published, contents.tensors);
  own[kPublishedNames] = true;
  contents.config.update(config);
  return contents;
}

ExchangeFolder in_own_form(ExchangeFolder contents, const LoadedModel& model) {
  Json& own = contents.config.at(kOwnConfig);
  if (!own.value(kPublishedNames, false)) return contents;
  contents.tensors = model_tensors(dynamic_cast<Trainable&>(*model.model));
  own.erase(kPublishedNames);
  contents.config["model_type"] = kOwnType;
  contents.config["architectures"] = Json::array({own.at("model")});
  return contents;
}

bool is_exported_model(const fs::path& path) {
  std::error_code failed;
  const bool is_file = path.extension() == ".safetensors" && fs::is_regular_file(path, failed);
  return (is_file || fs::is_directory(path, failed)) &&
         fs::is_regular_file(exported_model_folder(path) / kExchangeConfig, failed);
}

Json exported_config(const fs::path& path) {
  const fs::path file = exported_model_folder(path) / kExchangeConfig;
  return checked_config(parse_json<Json>(read_file(file, 1 << 24)), path);
}

fs::path exported_model_folder(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed) ? path.parent_path() : path;
}

fs::path exported_weights(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed) ? path : path / kModelFile;
}

ExchangeFolder read_exported(const fs::path& path) {
  ExchangeFolder contents = read_exchange(path, kOwnConfig);
  checked_config(contents.config, path);
  return contents;
}

std::vector<std::string> exported_styles(const fs::path& path) {
  return exported_config(path).value("styles", std::vector<std::string>());
}

LoadedModel load_exported(const fs::path& path, const Registries& registries,
                          const std::string& device) {
  const fs::path folder = exported_model_folder(path);
  const ExchangeFolder contents = read_exported(path);
  const Json& own = contents.config.at(kOwnConfig);
  const std::string name = own.at("model");
  const Component* component = registries.models.find(name);
  if (component == nullptr) {
    throw DataError("'" + path.string() + "': " + registries.models.unknown_message(name) +
                    "; load the plug-in that has it with --plugin FILE");
  }
  if (own.at("revision") != component->revision) {
    log_warning("the weights of '" + path.string() + "' were written by revision " +
                own.at("revision").dump() + " of " + name + ", this program has revision " +
                std::to_string(component->revision) + ": results may differ");
  }
  std::map<std::string, LoadedModel> models;
  for (const auto& [input, unused] : contents.inputs) {
    models[input] = load_exported(exchange_inputs(folder) / input, registries);
  }
  LoadedModel loaded;
  try {
    loaded = build_model(own, std::move(models), registries, contents.tensors, path, device);
  } catch (const nlohmann::json::exception& error) {
    throw DataError("'" + (folder / kExchangeConfig).string() +
                    "' does not describe a model: " + json_reason(error));
  }
  if (own.contains("tokenizer")) {
    Errors not_reported;  // reading needs no options
    const auto& entry = TokenizerFit::components().get(own.at("tokenizer"));
    loaded.tokenizer = entry.read(Node::mapping({}), not_reported, "")->load(folder);
  }
  loaded.step = own.at("step");
  loaded.published = own.value("published", false);
  loaded.source = own.value("source", "");
  loaded.sentences = own.value("sentences", int64_t{0});
  Sha256 hash;
  for (const auto& [tensor, values] : contents.tensors) hash.update(tensor_sha256(tensor, values));
  loaded.identity = hash.hex().substr(0, 8);
  return loaded;
}

}  // namespace lvtext
