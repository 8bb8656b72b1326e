// Buffered bytes of plain and gzip files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "framework/core/base/input_file.h"

namespace lvtext {

/// Reads a plain or gzip file in fixed buffers. Gzip is detected by content, not by file name; all
/// members of a gzip file are read.
class ByteReader {
 public:
  /// Throws as InputFile does.
  explicit ByteReader(const std::filesystem::path& path, Pipes pipes = Pipes::kRefuse);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /// The buffered bytes, after reading more if there are none; empty only at the end of the file.
  /// The first call returns at least kFormatBytes, or all bytes of a shorter file.
  /// Throws DataError if gzip data are damaged, truncated or followed by other data.
  std::string_view peek();
  /// Removes the first `count` bytes of peek().
  void skip(size_t count) { begin_ += count; }
  /// Copies the next `count` bytes; fewer only at the end of the file. Returns their number.
  size_t read(char* to, size_t count);
  const std::string& path() const { return path_; }

 private:
  class Gzip;

  std::string path_;
  InputFile file_;
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;
  bool is_started_ = false;
  std::unique_ptr<Gzip> gzip_;  ///< null for a plain file
};

}  // namespace lvtext
