// A temporary folder.
#pragma once

#include <filesystem>

namespace lvtext {

/// A new folder in the system's temporary folder, removed with its content by the destructor. Files
/// that are mapped remain readable.
class ScratchFolder {
 public:
  /// Throws an io_error.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lvtext
