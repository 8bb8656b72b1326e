#include "framework/core/checkpoint/exchange.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeights = "model.safetensors";
constexpr const char* kConfig = "config.json";
constexpr const char* kTokenizer = "tokenizer.model";

}  // namespace

void write_exchange(const fs::path& folder, const ExchangeFolder& contents) {
  LVT_ASSERT(contents.config.is_object(), "config.json must be an object");
  refuse_existing(folder);
  write_folder(folder, [&](const fs::path& partial) {
    // Python readers of Hugging Face folders require "format": "pt".
    write_safetensors(partial / kWeights, contents.tensors, {{"format", "pt"}});
    write_file_synced(partial / kConfig, contents.config.dump(2) + "\n");
    if (!contents.tokenizer.empty()) write_file_synced(partial / kTokenizer, contents.tokenizer);
  });
}

ExchangeFolder read_exchange(const fs::path& path) {
  std::error_code failed;
  const bool is_folder = fs::is_directory(path, failed);
  const fs::path folder = is_folder ? path : path.parent_path();
  ExchangeFolder contents;
  contents.tensors = read_safetensors(is_folder ? path / kWeights : path).tensors;
  const fs::path config = folder / kConfig;
  contents.config = parse_json(read_file(config, 1 << 24));
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
