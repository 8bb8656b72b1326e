// The splits of a data set as files.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/data/load_splits.h"

namespace lvtext {

/// Beside the splits' files: their fields, labels and types.
inline constexpr const char* kRecordsFile = "records.json";
/// NAME.jsonl: a JSON object per record, whose keys are the fields.
std::string split_file(const std::string& split);

/// The counts by name.
nlohmann::ordered_json to_json(const SplitCounts& counts);

/// Writes a file per split and kRecordsFile, and returns their names.
std::vector<std::string> write_records(const std::map<std::string, Records>& splits,
                                       const std::filesystem::path& folder);
/// Fields, labels and types of the records that kRecordsFile describes; no rows.
Records parse_description(const std::string& text);

/// write_records() and splits.json (options, counts, and each split's records, bytes and SHA-256),
/// whose content is returned. The folder appears whole or not at all. Throws Error(73) if it is
/// there already, or an io_error.
nlohmann::ordered_json write_split_files(const Splits& splits, const DataOptions& options,
                                         const std::filesystem::path& folder);

}  // namespace lvtext
