#include "framework/checkpoint/json_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "framework/base/error.h"

namespace lvtext {

JsonLines::JsonLines(const std::filesystem::path& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  if (fd_ < 0) throw io_error("write", path.string(), errno);
  struct stat info {};
  if (::fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd_);
    throw DataError("'" + path.string() + "' is not a regular file");
  }
  size_ = info.st_size;
}

JsonLines::JsonLines(JsonLines&& other) noexcept
    : path_(std::move(other.path_)), size_(other.size_), fd_(std::exchange(other.fd_, -1)) {}

JsonLines::~JsonLines() {
  if (fd_ >= 0) ::close(fd_);
}

void JsonLines::append(const nlohmann::ordered_json& object) {
  const std::string line =
      object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t put = ::write(fd_, line.data() + done, line.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int failed = errno;
      // Half a line must not stay in front of the next one.
      if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) size_ += done;
      throw io_error("write", path_.string(), failed);
    }
    done += put;
  }
  size_ += done;
}

void JsonLines::sync() {
  if (::fsync(fd_) != 0) throw io_error("sync", path_.string(), errno);
}

void JsonLines::truncate_to(uint64_t bytes) {
  const std::string place = "'" + path_.string() + "' ";
  if (bytes > size_) {
    throw DataError(place + "has " + std::to_string(size_) + " bytes, the checkpoint recorded " +
                    std::to_string(bytes) + ": lines were lost; resume from an older checkpoint");
  }
  char last = '\n';
  if (bytes > 0 && ::pread(fd_, &last, 1, static_cast<off_t>(bytes - 1)) != 1) {
    throw io_error("read", path_.string(), errno);
  }
  if (last != '\n') {
    throw DataError(place + "has no line end at byte " + std::to_string(bytes) +
                    ", which the checkpoint recorded: it was changed");
  }
  if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) {
    throw io_error("truncate", path_.string(), errno);
  }
  size_ = bytes;
  sync();
}

}  // namespace lvtext
