#include "framework/core/checkpoint/exchange.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/checkpoint_files.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write_contents(const fs::path& folder, const ExchangeFolder& contents) {
  LVT_ASSERT(contents.config.is_object(), "config.json must be an object");
  // Python readers of Hugging Face folders require "format": "pt".
  write_safetensors(folder / kModelFile, contents.tensors, {{"format", "pt"}});
  write_file_synced(folder / kExchangeConfig, contents.config.dump(2) + "\n");
  for (const auto& [name, content] : contents.files) write_file_synced(folder / name, content);
  for (const auto& [name, input] : contents.inputs) {
    const fs::path inner = folder / kExchangeInputs / name;
    make_folders(inner);
    write_contents(inner, input);
    sync_folder(inner);
  }
}

/// The names in a list of the configuration. Throws DataError for those that are not file names.
std::vector<std::string> names_in(const Json& config, const std::string& key, const char* list,
                                  const fs::path& file) {
  std::vector<std::string> names;
  const Json described = config.value(key, Json::object());
  if (!described.is_object()) return names;
  for (const Json& name : described.value(list, Json::array())) {
    if (!name.is_string() || !is_plain_name(name.get<std::string>())) {
      throw DataError("'" + file.string() + "': " + key + "." + list + " has " + name.dump() +
                      ", which is not a file name");
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

fs::path exchange_inputs(const fs::path& folder) {
  std::error_code failed;
  if (!fs::exists(folder / kManifestFile, failed)) return folder / kExchangeInputs;
  const fs::path checkpoint = fs::absolute(folder / ".").lexically_normal().parent_path();
  return checkpoint.parent_path() / kExchangeInputs / checkpoint.filename();
}

void write_exchange(const fs::path& folder, const ExchangeFolder& contents) {
  refuse_existing(folder);
  write_folder(folder, [&](const fs::path& partial) { write_contents(partial, contents); });
}

ExchangeFolder read_exchange(const fs::path& path, const std::string& key) {
  std::error_code failed;
  const bool is_folder = fs::is_directory(path, failed);
  const fs::path folder = is_folder ? path : path.parent_path();
  ExchangeFolder contents;
  if (is_folder && fs::exists(folder / kManifestFile, failed)) {
    contents.tensors = load_model_tensors(folder);
  } else {
    contents.tensors = read_safetensors(is_folder ? path / kModelFile : path).tensors;
  }
  check_finite(contents.tensors, path.string());
  const fs::path config = folder / kExchangeConfig;
  contents.config = parse_json(read_file(config, 1 << 24));
  if (!contents.config.is_object()) {
    throw DataError("'" + config.string() + "' is not a JSON object");
  }
  for (const auto& name : names_in(contents.config, key, "files", config)) {
    contents.files[name] = read_file(folder / name);
  }
  const fs::path inputs = exchange_inputs(folder);
  for (const auto& name : names_in(contents.config, key, "inputs", config)) {
    contents.inputs[name] = read_exchange(inputs / name, key);
  }
  return contents;
}

}  // namespace lvtext
