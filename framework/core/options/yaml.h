// YAML texts, hostile ones too, as trees.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"

namespace lvtext {

/// Parses one YAML document. Refused, each with its place: more than 1 MiB, 64 levels or 100,000
/// nodes (aliases counted where they stand), duplicate keys, merge keys, cyclic aliases, several
/// documents, tabs for indentation, byte order marks, invalid UTF-8. On a mistake, reports it to
/// `errors` and returns null.
Node parse_yaml(const std::shared_ptr<const Source>& source, Errors& errors);
/// Parses a text under a name, and throws ConfigError with all mistakes.
Node parse_yaml_or_throw(const std::string& text, const std::string& name = "text");
/// Parses a file; messages name it `name` (by default its path). Throws MissingError.
Node load_yaml(const std::filesystem::path& path, Errors& errors, const std::string& name = "");

}  // namespace lvtext
