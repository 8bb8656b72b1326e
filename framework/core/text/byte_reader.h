// Buffered bytes of plain and gzip files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

struct gzFile_s;  // zlib's file

namespace lvtext {

/// Reads a plain or gzip file in a fixed buffer. Gzip is detected by content, not by file name.
class ByteReader {
 public:
  /// Throws as InputFile does.
  explicit ByteReader(const std::filesystem::path& path);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /// The buffered bytes, after reading more if there are none; empty only at the end of the file.
  /// Throws DataError if gzip data are damaged or truncated.
  std::string_view peek();
  /// Removes the first `count` bytes of peek().
  void skip(size_t count) { begin_ += count; }
  /// Copies the next `count` bytes; fewer only at the end of the file. Returns their number.
  size_t read(char* to, size_t count);

 private:
  std::string path_;
  gzFile_s* file_ = nullptr;
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace lvtext
