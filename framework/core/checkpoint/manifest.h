// Manifests of checkpoint folders and finished runs: JSON that ends with its own SHA-256.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lvtext {

/// Version of the manifests of checkpoints and runs; newer ones are rejected.
inline constexpr int kManifestVersion = 1;

/// `fields` as indented JSON with a last field "sha256" of all bytes before it. parse_sealed()
/// accepts only this text for these fields.
std::string seal(const nlohmann::ordered_json& fields);

/// Parses a sealed text; returns the fields without "sha256". Throws DataError naming `location` if
/// any bit differs from the output of seal().
nlohmann::ordered_json parse_sealed(std::string_view text, const std::string& location);

/// The value of the field "schema" of a document: "lvtext.run-manifest/1".
std::string schema_id(const std::string& name, int version);

/// Throws DataError unless the field "schema" is `name` with a version from 1 to `version`; the
/// message distinguishes newer versions.
void check_schema(const nlohmann::ordered_json& fields, const std::string& name, int version,
                  const std::string& location);

}  // namespace lvtext
