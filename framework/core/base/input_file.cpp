#include "framework/core/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "framework/core/base/error.h"
#include "framework/core/base/read_error.h"

namespace lvtext {
namespace {

constexpr const char* kFifo = "a FIFO";
constexpr const char* kDevice = "a device";

}  // namespace

std::string irregular_kind(const std::filesystem::path& path) {
  std::error_code failed;
  switch (std::filesystem::status(path, failed).type()) {
    case std::filesystem::file_type::directory: return "a folder";
    case std::filesystem::file_type::fifo: return kFifo;
    case std::filesystem::file_type::socket: return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character: return kDevice;
    default: return "";
  }
}

InputFile::InputFile(std::filesystem::path path, Pipes pipes) : path_(std::move(path)) {
  // Check the type before opening, too: opening a device can have side effects, and opening a
  // socket fails.
  std::string kind = irregular_kind(path_);
  const bool may_be_pipe = pipes == Pipes::kAccept && (kind == kFifo || kind == kDevice);
  if (kind.empty() || may_be_pipe) {
    const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (kind == kFifo ? 0 : O_NONBLOCK);
    descriptor_ = ::open(path_.c_str(), flags);
    if (descriptor_ < 0) throw_read_error(path_, errno);
    struct stat info {};
    const bool is_known = ::fstat(descriptor_, &info) == 0;
    if (is_known && S_ISREG(info.st_mode)) {
      size_ = static_cast<uint64_t>(info.st_size);
      return;
    }
    const bool is_pipe = is_known && (S_ISFIFO(info.st_mode) || ::isatty(descriptor_) == 1);
    if (is_pipe && may_be_pipe) {
      ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
      return;
    }
    ::close(descriptor_);
    if (kind.empty()) kind = "a special file";
  }
  std::string advice;
  if (kind == kFifo) {
    advice = ", which can be read only once; write it to a file first (cat " + path_.string() +
             " > FILE)";
  }
  throw DataError("cannot read '" + path_.string() + "': it is " + kind + ", not a regular file" +
                  advice);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

size_t InputFile::read(void* data, size_t bytes) const {
  auto* at = static_cast<char*>(data);
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(descriptor_, at + done, bytes - done);
    if (got < 0) throw_read_error(path_, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace lvtext
