#include "framework/core/base/read_error.h"

#include <cerrno>
#include <cstring>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

/// The shortest prefix of `path` that exists and is not a folder; empty if there is none.
std::filesystem::path file_within(const std::filesystem::path& path) {
  std::filesystem::path part;
  for (const auto& name : path) {
    part /= name;
    std::error_code failed;
    const auto status = std::filesystem::status(part, failed);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) return part;
  }
  return {};
}

}  // namespace

void throw_read_error(const std::filesystem::path& path, int errno_value) {
  const std::string start = "cannot read '" + path.string() + "': ";
  if (errno_value == ENOENT || errno_value == ENAMETOOLONG || errno_value == ELOOP) {
    throw MissingError(start + std::strerror(errno_value) + "; check the path");
  }
  if (errno_value == ENOTDIR) {
    const auto part = file_within(path);
    throw MissingError(start + "'" + (part.empty() ? path.parent_path() : part).string() +
                       "' is a file, not a folder; check the path");
  }
  throw io_error("read", path.string(), errno_value);
}

}  // namespace lvtext
