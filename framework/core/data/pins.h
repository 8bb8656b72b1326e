// SHA-256 sums that are recorded at the first fetch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "framework/core/data/manifest.h"

namespace lvtext {

/// What a file had when it was fetched first; every later copy must have the same.
struct Pin {
  int64_t bytes = 0;
  std::string sha256;
};

/// The pin of a file whose manifest says `sha256: unpinned`, stored beside it in the cache; none
/// before its first fetch, and for files whose sum the manifest knows. Throws DataError if the pin
/// is damaged.
std::optional<Pin> read_pin(const DataFile& file, const std::filesystem::path& cache);

/// Takes size and SHA-256 of `path`, stores them as the file's pin and warns with both: the first
/// bytes are taken on trust.
Pin take_pin(const DataFile& file, const std::filesystem::path& path,
             const std::filesystem::path& cache);

}  // namespace lvtext
