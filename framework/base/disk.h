// Space on disk.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lvtext {

/// Bytes of all files below a folder; what disappears meanwhile does not count.
uint64_t folder_bytes(const std::filesystem::path& folder);

}  // namespace lvtext
