#include "framework/core/text/byte_reader.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "framework/core/base/error.h"
#include "framework/core/base/input_file.h"
#include "framework/core/base/read_error.h"

namespace lvtext {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;

}  // namespace

ByteReader::ByteReader(const std::filesystem::path& path)
    : path_(path.string()), buffer_(kBuffer, '\0') {
  const InputFile file(path);
  const int descriptor = ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) throw_read_error(path, errno);
  file_ = gzdopen(descriptor, "rb");  // reads plain files, too
  if (!file_) {
    ::close(descriptor);
    throw_read_error(path, ENOMEM);
  }
}

ByteReader::~ByteReader() {
  gzclose(file_);
}

std::string_view ByteReader::peek() {
  if (begin_ == end_) {
    const int got = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    // Z_BUF_ERROR: the gzip member is truncated. This must not be treated as the end of the file.
    if (got < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR) {
      if (code == Z_ERRNO) throw io_error("read", path_, errno);
      throw DataError("'" + path_ + "': the gzip data is damaged or truncated (" + message +
                      "); fetch or compress the file again");
    }
    begin_ = 0;
    end_ = static_cast<size_t>(got);
  }
  return std::string_view(buffer_).substr(begin_, end_ - begin_);
}

size_t ByteReader::read(char* to, size_t count) {
  size_t done = 0;
  while (done < count) {
    const std::string_view bytes = peek().substr(0, count - done);
    if (bytes.empty()) break;
    std::memcpy(to + done, bytes.data(), bytes.size());
    skip(bytes.size());
    done += bytes.size();
  }
  return done;
}

}  // namespace lvtext
