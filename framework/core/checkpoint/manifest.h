// Sealed manifests of checkpoint folders and finished runs: JSON that ends with its own SHA-256.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lvtext {

/// Version of the checkpoint and run manifests; newer versions are rejected on reading.
inline constexpr int kManifestVersion = 1;
/// Maximum size of a manifest or of the description of a run.
inline constexpr size_t kMaxManifestBytes = size_t{64} << 20;

/// `fields` as indented JSON with a final field "sha256" over all preceding bytes. This is the only
/// text that parse_sealed() accepts for these fields.
std::string seal(const nlohmann::ordered_json& fields);

/// Parses a sealed text and returns its fields without "sha256". Throws DataError with `location`
/// if any bit differs from the output of seal().
nlohmann::ordered_json parse_sealed(std::string_view text, const std::string& location);

/// The value of the field "schema" of a document: "lvtext.run-manifest/1".
std::string schema_id(const std::string& name, int version);

/// Throws DataError unless the field "schema" is `name` with a version from 1 to `version`. For
/// newer versions, the message asks to update lvtext.
void check_schema(const nlohmann::ordered_json& fields, const std::string& name, int version,
                  const std::string& location);

}  // namespace lvtext
