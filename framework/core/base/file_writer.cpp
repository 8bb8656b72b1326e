#include "framework/core/base/file_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"

namespace lvtext {

FileWriter::FileWriter(std::filesystem::path path)
    : path_(std::move(path)),
      temporary_(path_.string() + ".tmp-" + std::to_string(::getpid())),
      fd_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (fd_ < 0) throw io_error("write", temporary_.string(), errno);
}

FileWriter::~FileWriter() {
  ::close(fd_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw io_error("write", temporary_.string(), errno);
    bytes.remove_prefix(put);
  }
}

void FileWriter::commit() {
  if (::fsync(fd_) != 0) throw io_error("sync", temporary_.string(), errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw io_error("rename to", path_.string(), errno);
  }
  committed_ = true;
  sync_folder(path_.parent_path());
}

}  // namespace lvtext
