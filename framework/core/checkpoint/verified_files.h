// Remembers which large files were verified, so that each is hashed once per boot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace lvtext {

/// What the file system says about a file. Every write to a file changes at least one of the
/// fields: the change time cannot be set by programs.
struct FileStamp {
  uint64_t device = 0, inode = 0, bytes = 0;
  int64_t modified_ns = 0, changed_ns = 0;  ///< since the epoch
  bool operator==(const FileStamp&) const = default;
};

/// The stamp of a regular file. Throws MissingError, DataError if it is no regular file, or
/// io_error.
FileStamp stamp_of(const std::filesystem::path& path);

/// The files of one folder whose content was hashed since this machine booted, kept in the folder's
/// `verified.json`. An entry holds while the file's stamp is the
/// one that was hashed. The file is sealed; a damaged one counts as none, and a folder that cannot
/// be written to only costs the time to hash again.
class VerifiedFiles {
 public:
  explicit VerifiedFiles(std::filesystem::path folder);

  /// The SHA-256 of `file` (a path relative to the folder) as it is now: the remembered one if its
  /// stamp still holds, else computed. Throws as stamp_of() and sha256_file().
  std::string sha256_of(const std::string& file);

 private:
  std::string remembered(const std::string& file, const FileStamp& stamp) const;
  void remember(const std::string& file, const FileStamp& stamp, const std::string& sha256) const;

  std::filesystem::path folder_;
};

}  // namespace lvtext
