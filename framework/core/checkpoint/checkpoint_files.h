// File names and manifest of a checkpoint folder, shared by reader and writer.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/core/checkpoint/checkpoint.h"

namespace lvtext {

inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kEmaFile = "ema.safetensors";
inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kConfigFile = "config.resolved.yaml";
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kPartialSuffix = ".partial";
/// Schema name of a checkpoint folder's manifest.
inline constexpr const char* kCheckpointSchema = "checkpoint-manifest";

/// "optimizer.<name>.safetensors".
std::string optimizer_file(const std::string& name);
/// Inverse of optimizer_file(); empty for other files.
std::string optimizer_of(const std::string& file);
/// True for a single path component of 1 to 200 characters [A-Za-z0-9._-] without a leading dot.
bool is_plain_name(const std::string& name);
/// True for file names that are reserved for the checkpoint's own files.
bool is_reserved_name(const std::string& name);

/// Reads a folder's manifest and checks its seal, schema, step, and the names and sizes of the
/// files in the folder, without reading them. Throws DataError, MissingError if there is no such
/// folder.
nlohmann::ordered_json read_checkpoint_manifest(const std::filesystem::path& folder);

/// Reads and verifies one file at a time and passes it to one of the two callbacks.
void visit_checkpoint(
    const std::filesystem::path& folder, const nlohmann::ordered_json& manifest,
    const std::function<void(const std::string& file, TensorMap tensors)>& on_tensors,
    const std::function<void(const std::string& file, std::string text)>& on_text);

}  // namespace lvtext
