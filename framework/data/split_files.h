// The splits of a data set as plain text files.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "framework/data/sentences.h"

namespace lvtext {

/// The counts by name.
nlohmann::ordered_json to_json(const SplitCounts& counts);

/// Writes train.txt, valid.txt, test.txt and reverse.txt, one sentence per line, and splits.json
/// (options, counts, and each file's lines, bytes and SHA-256), whose content is returned. The
/// folder appears whole or not at all. Throws Error(73) if it is there already, or an io_error.
nlohmann::ordered_json write_split_files(const Splits& splits, const DataOptions& options,
                                         const std::filesystem::path& folder);

}  // namespace lvtext
