#include "framework/core/base/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "framework/core/base/error.h"
#include "framework/core/base/read_error.h"
#include "framework/core/base/signals.h"

namespace lvtext {
namespace {

constexpr const char* kFifo = "a FIFO";
constexpr const char* kDevice = "a device";

/// Waits for data, or for the end of a writer. A read would be restarted after a stop signal.
void wait_for_data(int descriptor, const std::filesystem::path& path) {
  constexpr int kMilliseconds = 100;  // a signal may interrupt another thread
  pollfd waiting{descriptor, POLLIN, 0};
  int ready = 0;
  while (ready == 0) {
    throw_if_stopped();
    ready = ::poll(&waiting, 1, kMilliseconds);
    if (ready < 0 && errno != EINTR) throw_read_error(path, errno);
    ready = std::max(ready, 0);
  }
}

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
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor_ < 0) throw_read_error(path_, errno);
    struct stat info {};
    const bool is_known = ::fstat(descriptor_, &info) == 0;
    if (is_known && S_ISREG(info.st_mode)) {
      size_ = static_cast<uint64_t>(info.st_size);
      return;
    }
    is_pipe_ = is_known && (S_ISFIFO(info.st_mode) || ::isatty(descriptor_) == 1);
    if (is_pipe_ && may_be_pipe) {
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
    if (is_pipe_) wait_for_data(descriptor_, path_);
    const ssize_t got = ::read(descriptor_, at + done, bytes - done);
    if (got < 0) throw_read_error(path_, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace lvtext
