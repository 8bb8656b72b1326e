// Opens input files given by users, which must be regular files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace lvtext {

/// The type of a file that is not regular: "a folder", "a FIFO", "a device", "a socket"; empty for
/// a regular file and for paths that cannot be accessed.
std::string irregular_kind(const std::filesystem::path& path);

/// A regular file opened for reading. Opening does not block, even for a FIFO.
class InputFile {
 public:
  /// Throws DataError naming the type if the file is not regular, and the exceptions of
  /// throw_read_error().
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t size() const { return size_; }
  /// Reads the next bytes; fewer than `bytes` only at the end of the file.
  size_t read(void* data, size_t bytes) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace lvtext
