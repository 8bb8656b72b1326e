#include "framework/checkpoint/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "framework/base/error.h"
#include "framework/base/hash.h"
#include "framework/base/read_error.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/safetensors_dtypes.h"

namespace lvtext {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored in host byte order");

/// A file that is hashed as it is read or written from front to back.
class HashedFile {
 public:
  HashedFile(const std::filesystem::path& path, int flags, const char* doing)
      : path_(path), doing_(doing), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail();
  }
  ~HashedFile() { ::close(fd_); }
  HashedFile(const HashedFile&) = delete;
  HashedFile& operator=(const HashedFile&) = delete;

  uint64_t size() const {
    struct stat info {};
    if (::fstat(fd_, &info) != 0) fail();
    if (!S_ISREG(info.st_mode)) throw DataError("'" + path_.string() + "' is not a regular file");
    return info.st_size;
  }

  void write(const void* data, size_t bytes) {
    hash_.update(data, bytes);
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t put = ::write(fd_, at, bytes);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail();
      at += put;
      bytes -= put;
    }
  }

  void read(void* data, size_t bytes) {
    auto* at = static_cast<char*>(data);
    size_t left = bytes;
    while (left > 0) {
      const ssize_t got = ::read(fd_, at, left);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail();
      if (got == 0) throw DataError("'" + path_.string() + "' became shorter while it was read");
      at += got;
      left -= got;
    }
    hash_.update(data, bytes);
  }

  void sync() {
    if (::fsync(fd_) != 0) throw io_error("sync", path_.string(), errno);
  }
  std::string hash() { return hash_.hex(); }

 private:
  [[noreturn]] void fail() const {
    if (std::string_view(doing_) == "read") throw_read_error(path_, errno);
    throw io_error(doing_, path_.string(), errno);
  }

  std::filesystem::path path_;
  const char* doing_;
  int fd_;
  Sha256 hash_;
};

void check_name(const std::string& name, const std::string& place) {
  const bool control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (name.empty() || name.size() > kMaxNameBytes || control || name == "__metadata__") {
    throw DataError("'" + place + "': a tensor cannot be stored under the name '" + name +
                    "': allowed are 1 to " + std::to_string(kMaxNameBytes) +
                    " bytes of UTF-8 without control characters");
  }
}

/// The order of bytes in a file: wide types first, then by name.
std::vector<TensorEntry> lay_out(const TensorMap& tensors, const std::string& place) {
  std::vector<TensorEntry> entries;
  if (tensors.size() > kMaxTensors) {
    throw DataError("'" + place + "': more than " + std::to_string(kMaxTensors) + " tensors");
  }
  for (const auto& [name, tensor] : tensors) {
    check_name(name, place);
    if (!tensor.defined()) throw DataError("'" + place + "': tensor '" + name + "' is undefined");
    if (!dtype_is_stored(tensor.scalar_type()) || tensor.dim() > int64_t{kMaxRank}) {
      throw DataError("'" + place + "': tensor '" + name + "' of dtype " +
                      c10::toString(tensor.scalar_type()) + " and rank " +
                      std::to_string(tensor.dim()) + " cannot be stored; known are " +
                      known_dtypes() + " and ranks up to " + std::to_string(kMaxRank));
    }
    entries.push_back({name, tensor.scalar_type(), tensor.sizes().vec(), 0, tensor.nbytes()});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return dtype_bytes(a.dtype) > dtype_bytes(b.dtype);
  });
  uint64_t at = 0;
  for (auto& entry : entries) {
    entry.begin = at;
    at = entry.end += at;
  }
  return entries;
}

std::string header_text(const std::vector<TensorEntry>& entries,
                        const std::map<std::string, std::string>& metadata,
                        const std::string& place) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  // Appending through the underlying vector: operator[] would compare with every name before it.
  auto& fields = header.get_ref<nlohmann::ordered_json::object_t&>();
  for (const auto& entry : entries) {
    nlohmann::ordered_json field;
    field["dtype"] = dtype_name(entry.dtype);
    field["shape"] = entry.shape;
    field["data_offsets"] = {entry.begin, entry.end};
    static_cast<std::vector<nlohmann::ordered_json::object_t::value_type>&>(fields).emplace_back(
        entry.name, std::move(field));
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    throw DataError("'" + place + "': a tensor's name or the metadata is not UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

/// Every other bit pattern of a bool is undefined behaviour for whoever computes with it.
void check_bools(const TensorEntry& entry, const at::Tensor& tensor, const std::string& place) {
  if (entry.dtype != at::kBool) return;
  const auto* bytes = static_cast<const uint8_t*>(tensor.const_data_ptr());
  const bool valid = std::all_of(bytes, bytes + tensor.numel(), [](uint8_t b) { return b <= 1; });
  if (!valid) {
    throw DataError("'" + place + "': tensor '" + entry.name + "' has bools other than 0 and 1");
  }
}

}  // namespace

std::string tensor_sha256(const std::string& name, const at::Tensor& tensor) {
  LVT_ASSERT(tensor.is_contiguous() && tensor.is_cpu(), "a hash is taken of plain bytes");
  Sha256 hash;
  hash.update(name);
  hash.update(std::string_view("\0", 1));
  hash.update(dtype_name(tensor.scalar_type()));
  for (const int64_t size : tensor.sizes()) hash.update("," + std::to_string(size));
  hash.update(std::string_view("\0", 1));
  hash.update(tensor.const_data_ptr(), tensor.nbytes());
  return hash.hex();
}

SafetensorsWritten write_safetensors(const std::filesystem::path& path, const TensorMap& tensors,
                                     const std::map<std::string, std::string>& metadata) {
  const auto entries = lay_out(tensors, path.string());
  const std::string header = header_text(entries, metadata, path.string());
  if (header.size() > kMaxHeaderBytes) {
    throw DataError("'" + path.string() + "': the header would have " +
                    format_bytes(header.size()) + "; at most 100,000,000 bytes are allowed");
  }
  HashedFile file(path, O_WRONLY | O_CREAT | O_TRUNC, "write");
  SafetensorsWritten written;
  const uint64_t length = header.size();
  file.write(&length, sizeof length);
  file.write(header.data(), header.size());
  for (const auto& entry : entries) {
    const at::Tensor tensor = tensors.at(entry.name).detach().cpu().contiguous();
    file.write(tensor.const_data_ptr(), tensor.nbytes());
    written.tensor_sha256[entry.name] = tensor_sha256(entry.name, tensor);
  }
  file.sync();
  written.bytes = sizeof length + length + (entries.empty() ? 0 : entries.back().end);
  written.sha256 = file.hash();
  return written;
}

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  const std::string place = path.string();
  // O_NONBLOCK: a FIFO in place of a file must be refused, not waited for.
  HashedFile file(path, O_RDONLY | O_NONBLOCK, "read");
  const uint64_t size = file.size();
  uint64_t length = 0;
  if (size < sizeof length) {
    throw DataError("'" + place + "' has " + std::to_string(size) +
                    " bytes: it is empty or cut off, not a safetensors file");
  }
  file.read(&length, sizeof length);
  if (length > kMaxHeaderBytes || length > size - sizeof length) {
    const std::string foreign =
        recognise_foreign(std::string_view(reinterpret_cast<const char*>(&length), sizeof length));
    throw DataError("'" + place + "' " +
                    (foreign.empty()
                         ? "is cut off or not a safetensors file: its header would have " +
                               std::to_string(length) + " bytes"
                         : foreign));
  }
  std::string json(length, '\0');
  file.read(json.data(), json.size());
  auto header = parse_safetensors_header(json, size - sizeof length - length, place);
  SafetensorsFile result;
  result.metadata = std::move(header.metadata);
  for (const auto& entry : header.entries) {
    const at::Tensor tensor = at::empty(entry.shape, at::TensorOptions().dtype(entry.dtype));
    file.read(tensor.mutable_data_ptr(), tensor.nbytes());
    check_bools(entry, tensor, place);
    result.tensor_sha256[entry.name] = tensor_sha256(entry.name, tensor);
    result.tensors[entry.name] = tensor;
  }
  result.sha256 = file.hash();
  return result;
}

std::string recognise_foreign(std::string_view bytes) {
  const std::string advice = "; lvtext reads safetensors only and never runs code from a file";
  if (bytes.empty()) return "is empty";
  if (bytes.starts_with("PK\x03\x04")) {
    return "is a zip archive (torch.save writes such): it may hold pickled code" + advice;
  }
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 1 && bytes[1] <= 5) {
    return "is a Python pickle" + advice;
  }
  if (bytes.starts_with("\x1f\x8b")) return "is a gzip file: unpack it first";
  if (bytes.starts_with("\x89HDF")) return "is an HDF5 file" + advice;
  if (bytes.starts_with("GGUF")) return "is a GGUF file" + advice;
  return "";
}

}  // namespace lvtext
