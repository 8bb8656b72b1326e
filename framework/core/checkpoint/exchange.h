// Weights in the Hugging Face folder layout, for exchange with other programs: one safetensors file
// with a JSON configuration.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/core/checkpoint/safetensors.h"

namespace lvtext {

/// The configuration in a Hugging Face folder.
inline constexpr const char* kExchangeConfig = "config.json";
/// Subfolder with the models that a model reads, one Hugging Face folder each.
inline constexpr const char* kExchangeInputs = "inputs";

/// Contents of a Hugging Face folder.
struct ExchangeFolder {
  TensorMap tensors;                             ///< model.safetensors
  nlohmann::ordered_json config;                 ///< config.json, an object
  std::map<std::string, std::string> files;      ///< further files by name, such as a tokenizer's
  std::map<std::string, ExchangeFolder> inputs;  ///< inputs/<name>
};

/// The folder with the models that the model in `folder` reads: `inputs` within it, or
/// `inputs/step-N` next to a checkpoint step-N.
std::filesystem::path exchange_inputs(const std::filesystem::path& folder);

/// Writes the folder atomically; equal contents give equal bytes. Throws Error(73) if the folder
/// already exists, an io_error, or DataError for tensors that cannot be stored.
void write_exchange(const std::filesystem::path& folder, const ExchangeFolder& contents);

/// Reads a folder, or a safetensors file with config.json in the same folder; `files` and `inputs`
/// have the names that the configuration's object `key` lists as `files` and `inputs`. A folder may
/// be a checkpoint with these files; its inputs are then next to it. Throws MissingError or
/// DataError, also for tensors with values that are not finite.
ExchangeFolder read_exchange(const std::filesystem::path& path, const std::string& key);

}  // namespace lvtext
