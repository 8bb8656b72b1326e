#include "framework/core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "framework/core/base/error.h"
#include "framework/core/base/read_error.h"

namespace lvtext {

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path.string()) {
  // O_NONBLOCK: opening a FIFO must not block; it is rejected below.
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw_read_error(path, errno);
  struct stat info {};
  const bool regular = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  bytes_ = regular ? static_cast<size_t>(info.st_size) : 0;
  // mmap() fails for a length of 0.
  void* base = bytes_ > 0 ? ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd, 0) : nullptr;
  const int failed = errno;
  ::close(fd);
  if (!regular) throw DataError("'" + path_ + "' is not a regular file");
  if (base == MAP_FAILED) throw io_error("map", path_, failed);
  base_ = static_cast<const char*>(base);
}

MappedFile::~MappedFile() {
  if (base_) ::munmap(const_cast<char*>(base_), bytes_);
}

}  // namespace lvtext
