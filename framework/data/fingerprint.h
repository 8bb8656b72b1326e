// What decides the sentences of a recipe, without reading a data set: for identities.
#pragma once

#include <nlohmann/json.hpp>

#include "framework/data/sentences.h"

namespace lvtext {

/// The options with everything in them that is a place replaced by its content: a named set by the
/// hashes and rules of its manifest, own files by the SHA-256 of their bytes. Equal values mean
/// equal sentences, wherever the files lie. Throws MissingError for a set or file that is not
/// there.
nlohmann::json data_fingerprint(
    const DataOptions& options,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace lvtext
