// Weights in the Hugging Face folder layout, for exchange with other programs: one safetensors file
// with a JSON configuration.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/core/checkpoint/safetensors.h"

namespace lvtext {

/// Contents of a Hugging Face folder.
struct ExchangeFolder {
  TensorMap tensors;              ///< model.safetensors
  nlohmann::ordered_json config;  ///< config.json, an object
  std::string tokenizer;          ///< tokenizer.model, a SentencePiece model; empty: none
};

/// Writes the folder atomically; equal contents give equal bytes. Throws Error(73) if the folder
/// already exists, an io_error, or DataError for tensors that cannot be stored.
void write_exchange(const std::filesystem::path& folder, const ExchangeFolder& contents);

/// Reads a folder, or a safetensors file with config.json in the same folder. The tokenizer file
/// may also be named spiece.model. Throws MissingError or DataError.
ExchangeFolder read_exchange(const std::filesystem::path& path);

}  // namespace lvtext
