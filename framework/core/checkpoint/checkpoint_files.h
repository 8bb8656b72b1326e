// File names of checkpoint folders, shared by writer and reader.
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
/// Name of the schema of a checkpoint folder's manifest.
inline constexpr const char* kCheckpointSchema = "checkpoint-manifest";

/// "optimizer.<name>.safetensors".
std::string optimizer_file(const std::string& name);
/// The optimizer of such a file name; empty for other files.
std::string optimizer_of(const std::string& file);
/// True for one path component of [A-Za-z0-9._-] that does not begin with a dot.
bool is_plain_name(const std::string& name);
/// True for the names that checkpoints use themselves.
bool is_reserved_name(const std::string& name);

/// Reads a folder's manifest and checks seal, schema, step and the set of files, without reading
/// other files. Throws DataError.
nlohmann::ordered_json read_checkpoint_manifest(const std::filesystem::path& folder);

/// Reads and verifies one file after another and passes each to one of the callbacks.
void visit_checkpoint(
    const std::filesystem::path& folder, const nlohmann::ordered_json& manifest,
    const std::function<void(const std::string& file, TensorMap tensors)>& on_tensors,
    const std::function<void(const std::string& file, std::string text)>& on_text);

}  // namespace lvtext
