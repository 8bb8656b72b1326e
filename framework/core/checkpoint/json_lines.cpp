#include "framework/core/checkpoint/json_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"

namespace lvtext {

JsonLines::JsonLines(const std::filesystem::path& path, std::string schema)
    : path_(path), schema_(std::move(schema)) {
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
    : path_(std::move(other.path_)),
      schema_(std::move(other.schema_)),
      size_(other.size_),
      fd_(std::exchange(other.fd_, -1)) {}

JsonLines::~JsonLines() {
  if (fd_ >= 0) ::close(fd_);
}

void JsonLines::append(const nlohmann::ordered_json& object) {
  auto line = nlohmann::ordered_json::object();
  if (size_ == 0) line["schema"] = schema_;
  line.update(object);
  write(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void JsonLines::write(std::string_view text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t put = ::write(fd_, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int failed = errno;
      // Remove the partial line, which would otherwise precede the next one.
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

std::string JsonLines::content() const {
  return read_file(path_);
}

bool JsonLines::restore(const std::string& content) {
  const bool continues = this->content().starts_with(content);
  truncate(continues ? content.size() : 0);
  if (!continues) write(content);
  sync();
  return continues;
}

void JsonLines::truncate(uint64_t bytes) {
  if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) {
    throw io_error("truncate", path_.string(), errno);
  }
  size_ = bytes;
}

}  // namespace lvtext
