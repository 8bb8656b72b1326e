// Opens the files that a user names, which must be regular ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace lvtext {

/// What is at `path` where a regular file is expected: "a folder", "a FIFO", "a device", "a
/// socket"; empty for a regular file and where nothing can be seen.
std::string irregular_kind(const std::filesystem::path& path);

/// A regular file opened for reading. Opening never waits, as it would for a FIFO.
class InputFile {
 public:
  /// Throws DataError for what is no regular file, saying what it is, and else what
  /// throw_read_error throws.
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t size() const { return size_; }
  /// The next bytes, as many as there are; fewer than `bytes` at the end of the file only.
  size_t read(void* data, size_t bytes) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace lvtext
