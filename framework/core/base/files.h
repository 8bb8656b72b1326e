// Files that are whole or not there: written to a temporary name, synced, renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace lvtext {

/// The whole content of a file. Throws MissingError, or DataError if it is larger than `limit`.
std::string read_file(const std::filesystem::path& path, size_t limit = size_t{1} << 31);

/// Replaces `path` by `content` atomically: temporary file beside it, fsync, rename, fsync of the
/// folder. At every instant `path` is either the old file or the new one. Throws io_error.
void write_file_atomic(const std::filesystem::path& path, std::string_view content);

/// Writes `content` to `path` and syncs it; for files inside a folder that is renamed when whole.
void write_file_synced(const std::filesystem::path& path, std::string_view content);

/// Syncs a folder's entries to disk.
void sync_folder(const std::filesystem::path& folder);

/// Creates a folder and its parents. Throws io_error.
void make_folders(const std::filesystem::path& folder);

/// Renames a finished folder into place and syncs the parent. Throws io_error.
void publish_folder(const std::filesystem::path& partial, const std::filesystem::path& final_path);

/// Makes a folder that is whole or not there: `write` fills one beside it, which is then published.
/// Whatever `write` throws, nothing is left.
void write_folder(const std::filesystem::path& folder,
                  const std::function<void(const std::filesystem::path& partial)>& write);

/// For folders that users name: throws Error (73) if there is anything of that name.
void refuse_existing(const std::filesystem::path& folder);

/// True for a relative path that does not lead out of the folder it is relative to.
bool stays_inside(const std::filesystem::path& path);

}  // namespace lvtext
