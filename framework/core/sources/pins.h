// SHA-256 checksums recorded at the first fetch of unpinned files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "framework/core/sources/manifest.h"

namespace lvtext {

/// Size and checksum of a file at its first fetch; every later copy must have the same.
struct Pin {
  int64_t bytes = 0;
  std::string sha256;
};

/// The pin of a file whose manifest has `sha256: unpinned`, stored next to it in the cache. Empty
/// before the first fetch, and for files whose checksum is in the manifest. Throws DataError if the
/// pin is damaged.
std::optional<Pin> read_pin(const DataFile& file, const std::filesystem::path& cache);

/// Stores size and SHA-256 of `path` as the pin of the file and logs a warning with both, because
/// the first copy cannot be verified.
Pin take_pin(const DataFile& file, const std::filesystem::path& path,
             const std::filesystem::path& cache);

}  // namespace lvtext
