// Files of the splits of a data set.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/sources/load_splits.h"

namespace lvtext {

/// File with the fields, labels and types of the splits' files.
inline constexpr const char* kRecordsFile = "records.json";
/// File name of a split, NAME.jsonl: one JSON object per record, whose keys are the fields.
std::string split_file(const std::string& split);
/// File name of the images of a field of a split, NAME.FIELD.safetensors: a dataset (dataset.h)
/// with the field as its only column. The JSON objects contain the rows of their images.
std::string image_file(const std::string& split, const std::string& field);

/// The counts as a JSON object.
nlohmann::ordered_json to_json(const SplitCounts& counts);

/// Writes the files of each split and kRecordsFile; returns the file names. Records that share the
/// bytes of an image refer to one row of its file.
std::vector<std::string> write_records(const std::map<std::string, Records>& splits,
                                       const std::filesystem::path& folder);
/// Parses kRecordsFile into fields, labels and types; sets no rows.
Records parse_description(const std::string& text);
/// Reads a split that write_records() wrote; images are those of the mapped files. `path_of`
/// returns the path of a file by its name. Throws DataError naming the line.
Records read_split_records(
    const std::string& split,
    const std::function<std::filesystem::path(const std::string& file)>& path_of);

/// Writes the files of write_records() and splits.json (options, counts, and number of records,
/// bytes and SHA-256 of each split), whose content is returned. The folder is created atomically.
/// Throws Error(73) if it already exists, or an io_error.
nlohmann::ordered_json write_split_files(const Splits& splits, const DataOptions& options,
                                         const std::filesystem::path& folder);

}  // namespace lvtext
