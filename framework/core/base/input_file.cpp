#include "framework/core/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "framework/core/base/error.h"
#include "framework/core/base/read_error.h"

namespace lvtext {

std::string irregular_kind(const std::filesystem::path& path) {
  std::error_code failed;
  switch (std::filesystem::status(path, failed).type()) {
    case std::filesystem::file_type::directory: return "a folder";
    case std::filesystem::file_type::fifo: return "a FIFO";
    case std::filesystem::file_type::socket: return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character: return "a device";
    default: return "";
  }
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  // Check the type before opening, too: opening a device can have side effects, and opening a
  // socket fails.
  std::string kind = irregular_kind(path_);
  if (kind.empty()) {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) throw_read_error(path_, errno);
    struct stat info {};
    if (::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode)) {
      size_ = static_cast<uint64_t>(info.st_size);
      return;
    }
    ::close(descriptor_);
    kind = "a special file";
  }
  throw DataError("cannot read '" + path_.string() + "': it is " + kind + ", not a regular file");
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

size_t InputFile::read(void* data, size_t bytes) const {
  auto* at = static_cast<char*>(data);
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(descriptor_, at + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_read_error(path_, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace lvtext
