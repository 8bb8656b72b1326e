// Weights as other programs read them: one plain safetensors file in a folder of the Hugging Face
// layout.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/core/checkpoint/safetensors.h"

namespace lvtext {

/// What such a folder holds.
struct ExchangeFolder {
  TensorMap tensors;              ///< model.safetensors
  nlohmann::ordered_json config;  ///< config.json, an object
  std::string tokenizer;          ///< tokenizer.model, a SentencePiece model; empty: none
};

/// Writes the folder, which appears whole or not at all; equal contents give equal bytes. Throws
/// Error(73) if it is there already, an io_error, or DataError for tensors that cannot be stored.
void write_exchange(const std::filesystem::path& folder, const ExchangeFolder& contents);

/// Reads a folder, or a safetensors file whose config.json lies beside it. The tokenizer may be
/// called spiece.model as well. Throws MissingError or DataError.
ExchangeFolder read_exchange(const std::filesystem::path& path);

}  // namespace lvtext
