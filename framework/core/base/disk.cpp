#include "framework/core/base/disk.h"

#include <system_error>

namespace lvtext {

namespace fs = std::filesystem;

uint64_t folder_bytes(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code failed;
  auto entry = fs::recursive_directory_iterator(folder, failed);
  while (!failed && entry != fs::recursive_directory_iterator()) {
    std::error_code gone;  // another process may remove a file meanwhile
    if (entry->is_regular_file(gone) && !entry->is_symlink(gone)) {
      const uint64_t size = entry->file_size(gone);
      if (!gone) bytes += size;
    }
    entry.increment(failed);
  }
  return bytes;
}

fs::path existing_folder(fs::path path) {
  std::error_code failed;
  path = fs::absolute(path, failed);
  while (!fs::exists(path, failed) && path.has_relative_path()) path = path.parent_path();
  return path;
}

std::optional<uint64_t> free_bytes(const fs::path& path) {
  std::error_code failed;
  const fs::space_info space = fs::space(existing_folder(path), failed);
  return failed ? std::nullopt : std::optional(uint64_t{space.available});
}

}  // namespace lvtext
