// Stores which large files were verified, so that each is hashed once per boot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace lvtext {

/// File system metadata of a file. Every write changes at least one field, because programs cannot
/// set the change time.
struct FileStamp {
  uint64_t device = 0, inode = 0, bytes = 0;
  int64_t modified_ns = 0, changed_ns = 0;  ///< since the epoch
  bool operator==(const FileStamp&) const = default;
};

/// The stamp of a regular file. Throws MissingError, DataError if it is no regular file, or
/// io_error.
FileStamp stamp_of(const std::filesystem::path& path);

/// Hashes of files in a folder since this machine booted, stored in the folder's `verified.json`.
/// An entry is valid while the file's stamp is unchanged. The file is sealed; a damaged one is
/// ignored, and in a read-only folder files are hashed again.
class VerifiedFiles {
 public:
  explicit VerifiedFiles(std::filesystem::path folder);

  /// The current SHA-256 of `file` (a path relative to the folder): the stored one if its stamp is
  /// unchanged, otherwise computed. Throws the exceptions of stamp_of() and sha256_file().
  std::string sha256_of(const std::string& file);

 private:
  std::string remembered(const std::string& file, const FileStamp& stamp) const;
  void remember(const std::string& file, const FileStamp& stamp, const std::string& sha256) const;

  std::filesystem::path folder_;
};

}  // namespace lvtext
