// Space on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace lvtext {

/// Bytes of all files below a folder; what disappears meanwhile does not count.
uint64_t folder_bytes(const std::filesystem::path& folder);

/// The path, or the nearest folder above it that exists.
std::filesystem::path existing_folder(std::filesystem::path path);
/// Bytes that this user can still write where the path is or would be; none if that is not known.
std::optional<uint64_t> free_bytes(const std::filesystem::path& path);

}  // namespace lvtext
