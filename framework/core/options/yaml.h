// Parses YAML into a Node tree; rejects malformed and adversarial input.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"

namespace lvtext {

/// Parses one YAML document. Rejected, with the location: more than 1 MiB, 64 levels or 100,000
/// nodes (after expanding aliases), duplicate keys, merge keys, cyclic aliases, several documents,
/// tabs as indentation, byte order marks, invalid UTF-8. Reports mistakes to `errors` and returns
/// null.
Node parse_yaml(const std::shared_ptr<const Source>& source, Errors& errors);
/// How to write the value of an override that YAML does not read as text.
std::string as_text_hint(const std::string& value);
/// Parses a text with a name for messages; throws ConfigError with all mistakes.
Node parse_yaml_or_throw(const std::string& text, const std::string& name = "text");
/// Parses a file, called `name` in messages (by default its path). Throws MissingError.
Node load_yaml(const std::filesystem::path& path, Errors& errors, const std::string& name = "");

}  // namespace lvtext
