// Writer of a file that becomes visible only when it is complete.
#pragma once

#include <filesystem>
#include <string_view>

namespace lvtext {

/// Writes a temporary file next to `path`, which commit() syncs and renames to `path`. Without
/// commit() the file is removed.
class FileWriter {
 public:
  /// Throws io_error, as do write() and commit().
  explicit FileWriter(std::filesystem::path path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);
  /// Syncs the file and renames it to `path`, which is either the old or the new file at every
  /// instant. No writes are allowed afterwards.
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  int fd_;
  bool committed_ = false;
};

}  // namespace lvtext
