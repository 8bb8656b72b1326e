// The manifest of a checkpoint folder and of a finished run: JSON that ends with its own SHA-256.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lvtext {

/// Version of the checkpoint and run manifests; a reader refuses newer ones.
inline constexpr int kManifestVersion = 1;

/// `fields` as indented JSON with a last field "sha256" over all bytes before it. The text is the
/// only one that parse_sealed accepts for these fields.
std::string seal(const nlohmann::ordered_json& fields);

/// The fields of a sealed text, without "sha256". Throws DataError naming `place` if a single bit
/// differs from what seal() wrote.
nlohmann::ordered_json parse_sealed(std::string_view text, const std::string& location);

/// The value of the field "schema" of a document: "lvtext.run-manifest/1".
std::string schema_id(const std::string& name, int version);

/// Throws DataError unless the field "schema" is `name` in a version from 1 to `version`; a newer
/// version gets a message of its own.
void check_schema(const nlohmann::ordered_json& fields, const std::string& name, int version,
                  const std::string& location);

}  // namespace lvtext
