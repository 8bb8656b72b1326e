#include "framework/checkpoint/exchange.h"

#include <unistd.h>

#include "framework/base/error.h"
#include "framework/base/files.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeights = "model.safetensors";
constexpr const char* kConfig = "config.json";
constexpr const char* kTokenizer = "tokenizer.model";

}  // namespace

void write_exchange(const fs::path& folder, const ExchangeFolder& contents) {
  LVT_ASSERT(contents.config.is_object(), "config.json is an object");
  std::error_code failed;
  if (fs::exists(fs::symlink_status(folder, failed))) {
    throw Error(Exit::kCannotWrite,
                "'" + folder.string() + "' exists already; name a folder that does not");
  }
  const fs::path partial = folder.string() + ".partial-" + std::to_string(::getpid());
  make_folders(partial);
  try {
    // "format": "pt" is what Python's readers of Hugging Face folders ask for.
    write_safetensors(partial / kWeights, contents.tensors, {{"format", "pt"}});
    write_file_synced(partial / kConfig, contents.config.dump(2) + "\n");
    if (!contents.tokenizer.empty()) write_file_synced(partial / kTokenizer, contents.tokenizer);
    publish_folder(partial, folder);
  } catch (...) {
    fs::remove_all(partial, failed);
    throw;
  }
}

ExchangeFolder read_exchange(const fs::path& path) {
  std::error_code failed;
  const bool is_folder = fs::is_directory(path, failed);
  const fs::path folder = is_folder ? path : path.parent_path();
  ExchangeFolder contents;
  contents.tensors = read_safetensors(is_folder ? path / kWeights : path).tensors;
  const fs::path config = folder / kConfig;
  contents.config = nlohmann::ordered_json::parse(read_file(config, 1 << 24), nullptr, false);
  if (!contents.config.is_object()) {
    throw DataError("'" + config.string() + "' is not a JSON object");
  }
  for (const char* name : {kTokenizer, "spiece.model"}) {
    if (fs::exists(folder / name, failed) && contents.tokenizer.empty()) {
      contents.tokenizer = read_file(folder / name);
    }
  }
  return contents;
}

}  // namespace lvtext
