#include "framework/core/text/byte_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/text/file_format.h"

namespace lvtext {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;
constexpr std::string_view kGzip = "\x1F\x8B";

}  // namespace

/// Decompresses a file. Unlike zlib's gzread(), rejects data behind a member that are not gzip:
/// they may be the rest of a damaged file. Zero bytes, with which some programs fill blocks, may
/// follow the last member.
class ByteReader::Gzip {
 public:
  Gzip(const InputFile& file, const std::string& path, std::string_view start)
      : file_(file), path_(path), input_(start) {
    constexpr int kGzipFormat = 16 + MAX_WBITS;
    LVT_ASSERT(inflateInit2(&stream_, kGzipFormat) == Z_OK, "zlib cannot be initialized");
    take_input();
  }
  ~Gzip() { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Writes the next bytes, at most `size`, and returns their number; 0 at the end of the file.
  size_t read(char* to, size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<unsigned>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0 && !read_input()) break;
      if (!is_inside_ && !begin_member()) continue;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        is_inside_ = false;
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        fail(stream_.msg ? stream_.msg : "invalid data");
      }
    }
    return size - stream_.avail_out;
  }

 private:
  void take_input() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<unsigned>(input_.size());
    read_ += input_.size();
  }
  /// False at the end of the file.
  bool read_input() {
    input_.resize(kBuffer);
    input_.resize(file_.read(input_.data(), input_.size()));
    take_input();
    if (input_.empty() && is_inside_) fail("unexpected end of file");
    return !input_.empty();
  }
  /// Begins a member; returns false after skipping zero bytes that may follow the last one.
  bool begin_member() {
    if (members_ > 0 && *stream_.next_in == 0) {
      is_filled_ = true;
      const auto* end = stream_.next_in + stream_.avail_in;
      const auto* other = std::find_if(stream_.next_in, stream_.next_in + stream_.avail_in,
                                       [](Bytef byte) { return byte != 0; });
      stream_.next_in += other - stream_.next_in;
      stream_.avail_in = static_cast<unsigned>(end - other);
      return false;
    }
    if (members_ > 0 && (is_filled_ || *stream_.next_in != static_cast<Bytef>(kGzip.front()))) {
      const size_t position = read_ - stream_.avail_in;
      throw DataError("'" + path_ + "': other data follow the first " +
                      format_count(static_cast<int64_t>(position)) +
                      " bytes, which are gzip data; a part of the file may be damaged: fetch or "
                      "compress it again");
    }
    LVT_ASSERT(inflateReset(&stream_) == Z_OK, "zlib cannot be reset");
    is_inside_ = true;
    ++members_;
    return true;
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw DataError("'" + path_ + "': the gzip data is damaged or truncated (" + reason +
                    (members_ > 1 ? ", member " + format_count(members_) : "") +
                    "); fetch or compress the file again");
  }

  const InputFile& file_;
  const std::string& path_;
  std::string input_;
  size_t read_ = 0;  ///< bytes of the file read so far
  z_stream stream_ = {};
  int64_t members_ = 0;
  bool is_inside_ = false;  ///< the position is inside of a member
  bool is_filled_ = false;  ///< zero bytes followed a member
};

ByteReader::ByteReader(const std::filesystem::path& path, Pipes pipes)
    : path_(path.string()), file_(path, pipes), buffer_(kBuffer, '\0') {}

ByteReader::~ByteReader() = default;

std::string_view ByteReader::peek() {
  if (begin_ == end_) {
    begin_ = 0;
    end_ = gzip_ ? gzip_->read(buffer_.data(), kBuffer) : file_.read(buffer_.data(), kBuffer);
    if (!is_started_ && std::string_view(buffer_).substr(0, end_).starts_with(kGzip)) {
      gzip_ = std::make_unique<Gzip>(file_, path_, std::string_view(buffer_).substr(0, end_));
      end_ = 0;
      // The first members may be shorter than what recognizes a format.
      for (size_t count = 1; end_ < kFormatBytes && count > 0; end_ += count) {
        count = gzip_->read(buffer_.data() + end_, kBuffer - end_);
      }
    }
    is_started_ = true;
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
