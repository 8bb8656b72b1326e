#include "framework/core/base/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"

namespace lvtext {
namespace {

static_assert(std::endian::native == std::endian::little, "records are written in host byte order");

// The part of the protocol-buffer wire format that events use.
void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_key(std::string& out, int field, int wire_type) {
  put_varint(out, field << 3 | wire_type);
}

void put_int(std::string& out, int field, int64_t value) {
  put_key(out, field, 0);
  put_varint(out, static_cast<uint64_t>(value));
}

void put_double(std::string& out, int field, double value) {
  put_key(out, field, 1);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_float(std::string& out, int field, float value) {
  put_key(out, field, 5);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_bytes(std::string& out, int field, std::string_view bytes) {
  put_key(out, field, 2);
  put_varint(out, bytes.size());
  out += bytes;
}

/// Event{wall_time = 1, step = 2, ...}; the caller appends its content.
std::string event_at(int64_t step) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::string event;
  put_double(event, 1, std::chrono::duration<double>(now).count());
  if (step != 0) put_int(event, 2, step);
  return event;
}

/// Event.summary = 5 with one Summary.Value.
std::string with_value(std::string event, const std::string& value) {
  std::string summary;
  put_bytes(summary, 1, value);
  put_bytes(event, 5, summary);
  return event;
}

template <typename T>
void put_raw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Size in bytes of the complete records at the start of an event file.
size_t whole_records(std::string_view file) {
  size_t at = 0;
  while (file.size() - at >= 16) {
    uint64_t length = 0;
    uint32_t length_crc = 0, data_crc = 0;
    std::memcpy(&length, file.data() + at, 8);
    std::memcpy(&length_crc, file.data() + at + 8, 4);
    if (length_crc != masked_crc32c(file.substr(at, 8)) || length > file.size() - at - 16) break;
    std::memcpy(&data_crc, file.data() + at + 12 + length, 4);
    if (data_crc != masked_crc32c(file.substr(at + 12, length))) break;
    at += 16 + length;
  }
  return at;
}

}  // namespace

uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes.data(), bytes.size());
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

TensorboardWriter::TensorboardWriter(const std::filesystem::path& folder, const std::string& name)
    : path_(folder / ("events.out.tfevents." + name)) {
  LVT_ASSERT(name.find('/') == std::string::npos, "the name of an event file must not contain '/'");
  make_folders(folder);
  size_t kept = 0;
  if (std::filesystem::exists(path_)) {
    const std::string old = read_file(path_);
    kept = whole_records(old);
  }
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) throw io_error("write", path_.string(), errno);
  if (::ftruncate(fd_, static_cast<off_t>(kept)) != 0) {
    const int failed = errno;
    ::close(fd_);
    throw io_error("truncate", path_.string(), failed);
  }
  if (kept == 0) {
    std::string event = event_at(0);
    put_bytes(event, 3, "brain.Event:2");
    record(event);
  }
}

TensorboardWriter::~TensorboardWriter() {
  try {
    flush();
  } catch (const Error&) {
    // Destructors must not throw; flush() reports errors. Results do not depend on event files.
  }
  ::close(fd_);
}

void TensorboardWriter::record(const std::string& event) {
  std::string length;
  put_raw<uint64_t>(length, event.size());
  buffer_ += length;
  put_raw(buffer_, masked_crc32c(length));
  buffer_ += event;
  put_raw(buffer_, masked_crc32c(event));
}

void TensorboardWriter::scalar(std::string_view tag, int64_t step, double value) {
  // Summary.Value{tag = 1, simple_value = 2}: all versions of TensorBoard convert it.
  std::string entry;
  put_bytes(entry, 1, tag);
  put_float(entry, 2, static_cast<float>(value));
  record(with_value(event_at(step), entry));
}

void TensorboardWriter::text(std::string_view tag, int64_t step, std::string_view text) {
  // TensorProto{dtype = 1: DT_STRING 7, tensor_shape = 2: one dimension of 1, string_val = 8}
  std::string dimension, shape, tensor;
  put_int(dimension, 1, 1);
  put_bytes(shape, 2, dimension);
  put_int(tensor, 1, 7);
  put_bytes(tensor, 2, shape);
  put_bytes(tensor, 8, text);
  // SummaryMetadata{plugin_data = 1: {plugin_name = 1}, data_class = 4: DATA_CLASS_TENSOR 2}
  std::string plugin, metadata, entry;
  put_bytes(plugin, 1, "text");
  put_bytes(metadata, 1, plugin);
  put_int(metadata, 4, 2);
  put_bytes(entry, 1, tag);
  put_bytes(entry, 8, tensor);
  put_bytes(entry, 9, metadata);
  record(with_value(event_at(step), entry));
}

void TensorboardWriter::restart(int64_t step) {
  // Event.session_log = 7: SessionLog{status = 1: START 1}
  std::string session;
  put_int(session, 1, 1);
  std::string event = event_at(step);
  put_bytes(event, 7, session);
  record(event);
}

void TensorboardWriter::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t put = ::write(fd_, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int failed = errno;
      buffer_.erase(0, buffer_.size() - rest.size());
      throw io_error("write", path_.string(), failed);
    }
    rest.remove_prefix(put);
  }
  buffer_.clear();
}

}  // namespace lvtext
