#include "framework/pipeline/store/published_folder.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/base/scratch_folder.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/published.h"
#include "framework/core/model/trainable.h"
#include "framework/core/tensor/shapes_only.h"
#include "framework/core/text/tokenizer_fit.h"
#include "framework/pipeline/store/exported_model.h"
#include "framework/pipeline/store/loaded_inputs.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json published_config_in(const fs::path& folder) {
  const fs::path file = folder / kExchangeConfig;
  Json config = parse_json<Json>(read_file(file, 1 << 24));
  if (!config.is_object()) throw DataError("'" + file.string() + "' is not a JSON object");
  return config;
}

/// What a kind of model says of published weights.
struct PublishedForm {
  Json options;
  std::string tokenizer;
};

PublishedForm form_of(const Component& component, const Json& config) {
  if (!component.is_fitted) {
    // The size does not matter: the object describes the form of any size.
    const ShapesOnly no_storage;
    const StreamShapes text = {
        {"train", {{.vocabulary = {.size = 5, .bos = 1, .eos = 2, .pad = 0, .unk = 3}}}}};
    const auto model = component.configure().model({.streams = text});
    if (const auto* published = dynamic_cast<const Published*>(model.get());
        published != nullptr && !published->published_tokenizer().empty()) {
      return {published->published_options(config), published->published_tokenizer()};
    }
  }
  throw DataError("weights of the model '" + component.about.name +
                  "' are not read from folders of other programs");
}

}  // namespace

bool is_published_folder(const fs::path& path) {
  return !published_config_in(exported_model_folder(path)).contains(kOwnConfig);
}

ExchangeFolder read_published_folder(const fs::path& path, const Registries& registries) {
  const fs::path folder = exported_model_folder(path);
  ExchangeFolder contents;
  contents.config = published_config_in(folder);
  const std::string file = "'" + (folder / kExchangeConfig).string() + "': ";
  const Json type = contents.config.value("model_type", Json());
  const Component* component =
      type.is_string() ? registries.models.find(type.get<std::string>()) : nullptr;
  if (component == nullptr) {
    throw DataError(file + "model_type is " + type.dump() +
                    ", which is not the name of a model with published weights, such as gpt2");
  }
  std::error_code failed;
  if (!fs::exists(folder / kModelFile, failed)) {
    throw MissingError("'" + folder.string() + "' has no " + kModelFile +
                       (fs::exists(folder / "pytorch_model.bin", failed)
                            ? "; save pytorch_model.bin as safetensors: "
                              "model.save_pretrained(DIR, safe_serialization=True)"
                            : ""));
  }
  PublishedForm form;
  try {
    form = form_of(*component, contents.config);
  } catch (const DataError& error) {
    throw DataError(file + error.what());
  }
  const ScratchFolder scratch;
  Errors errors;
  const auto tokenizer =
      TokenizerFit::components().get(form.tokenizer).read(Node::mapping({}), errors, "");
  errors.throw_if_any();
  for (const std::string& name : tokenizer->read(folder, scratch.path()).files) {
    contents.files[name] = read_file(scratch.path() / name);
  }
  const Vocabulary vocabulary = tokenizer->load(scratch.path())->vocabulary();
  if (const Json size = contents.config.value("vocab_size", Json()); size != vocabulary.size) {
    throw DataError(file + "vocab_size is " + size.dump() +
                    ", but the tokenizer of the folder has " + format_count(vocabulary.size) +
                    " tokens");
  }
  contents.tensors = read_exchange(folder, kOwnConfig).tensors;
  const StreamShapes streams = {{"train", {{.vocabulary = vocabulary}}}};
  const std::string content = sha256_file(folder / kModelFile);
  Json own = {
      {"model", component->about.name},
      {"revision", component->revision},
      {"options", Json(canonical_json(
                      component->configure(node_of_json(form.options, folder.string())).options))},
      {"streams", to_json(streams)},
      {"seed", 0},
      {"step", 0},
      {"published", true},
      {"source",
       fs::path(folder / ".").lexically_normal().parent_path().filename().string() + ":" + content},
      {"tokenizer", form.tokenizer},
      {kPublishedNames, true}};
  for (const auto& [name, unused] : contents.files) own["files"].push_back(name);
  contents.config[kOwnConfig] = std::move(own);
  return contents;
}

}  // namespace lvtext
