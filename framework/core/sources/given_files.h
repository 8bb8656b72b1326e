// Files that options name (framework/core/options/given_file.h): tokenizers and weights.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/core/options/given_file.h"
#include "framework/core/sources/fetch.h"

namespace lvtext {

/// What identifies the content of a file in the identity of nodes: its SHA-256, for a file of a
/// data set that of the manifest, without reading the file; "set/file" for one without a checksum
/// there. Throws MissingError for an unknown path, data set or file.
std::string content_of(const GivenFile& given,
                       const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The path of a file; one of a data set is verified, and downloaded if necessary (obtain()).
/// Throws MissingError for an unknown data set or file, else as obtain() does.
std::filesystem::path locate(
    const GivenFile& given, const DataLocations& locations,
    const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace lvtext
