// Cache of the hashes of verified files, so that each is hashed once per boot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace lvtext {

/// File metadata that changes with every write to a file: programs cannot set the change time.
struct FileStamp {
  uint64_t device = 0, inode = 0, bytes = 0;
  int64_t modified_ns = 0, changed_ns = 0;  ///< since the epoch
  bool operator==(const FileStamp&) const = default;
};

/// The stamp of a regular file. Throws MissingError, DataError if it is not a regular file, or
/// io_error.
FileStamp stamp_of(const std::filesystem::path& path);

/// The hashes of the files of one folder that were computed since this machine booted, stored in
/// the folder's `verified.json`, which has those of other machines, too, for shared file systems.
/// An entry is valid while the file's stamp is unchanged. `verified.json` is sealed. If it is
/// damaged or the folder is not writable, files are hashed again.
class VerifiedFiles {
 public:
  explicit VerifiedFiles(std::filesystem::path folder);

  /// The SHA-256 of the current content of `file` (a path relative to the folder): the stored one
  /// if the stamp is unchanged, otherwise computed. Throws as stamp_of() and sha256_file().
  std::string sha256_of(const std::string& file);

 private:
  std::string remembered(const std::string& file, const FileStamp& stamp) const;
  void remember(const std::string& file, const FileStamp& stamp, const std::string& sha256) const;

  std::filesystem::path folder_;
};

}  // namespace lvtext
