// Disk space.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace lvtext {

/// Total size in bytes of all files below a folder; files that disappear during the call are
/// ignored.
uint64_t folder_bytes(const std::filesystem::path& folder);

/// The path, or the nearest folder above it that exists.
std::filesystem::path existing_folder(std::filesystem::path path);
/// Free bytes for this user at the location of the path, which need not exist; none if unknown.
std::optional<uint64_t> free_bytes(const std::filesystem::path& path);

}  // namespace lvtext
