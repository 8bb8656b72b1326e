// Atomic file operations: files are written under a temporary name, synced and renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace lvtext {

/// The whole content of a file. Throws MissingError, or DataError if it is larger than `limit`.
std::string read_file(const std::filesystem::path& path, size_t limit = size_t{1} << 31);

/// Replaces `path` by `content` atomically: temporary file, fsync, rename, fsync of the folder. At
/// every instant `path` is either the old or the new file. Throws io_error.
void write_file_atomic(const std::filesystem::path& path, std::string_view content);

/// Writes a file whose path was given by the user: a regular or new file like write_file_atomic(),
/// also through symbolic links (one whose target does not exist is replaced); a device or pipe is
/// written to, not replaced. Throws io_error.
void write_output_file(const std::filesystem::path& path, std::string_view content);

/// Writes `content` to `path` and syncs it; for files in a folder that is renamed when complete.
void write_file_synced(const std::filesystem::path& path, std::string_view content);

/// Syncs a folder's entries to disk.
void sync_folder(const std::filesystem::path& folder);

/// Creates a folder and its parents. Throws io_error.
void make_folders(const std::filesystem::path& folder);

/// Renames a finished folder into place and syncs the parent. Throws io_error.
void publish_folder(const std::filesystem::path& partial, const std::filesystem::path& final_path);

/// Creates a folder atomically: `write` fills a temporary folder, which is then renamed. If `write`
/// throws, the temporary folder is removed.
void write_folder(const std::filesystem::path& folder,
                  const std::function<void(const std::filesystem::path& partial)>& write);

/// Throws Error (73) if `folder` exists; for output folders given by users.
void refuse_existing(const std::filesystem::path& folder);

/// True for a non-empty relative path without "..", which cannot leave its base folder.
bool stays_inside(const std::filesystem::path& path);

}  // namespace lvtext
