// Memory-mapped files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace lvtext {

/// Maps a regular file for reading. Immutable; the bytes are valid for the lifetime of the object.
class MappedFile {
 public:
  /// Throws MissingError if it does not exist, DataError if it is not a regular file, or an
  /// io_error.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {base_, bytes_}; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const char* base_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace lvtext
