#include "framework/core/checkpoint/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/read_error.h"
#include "framework/core/base/safetensors_format.h"

namespace lvtext {
namespace {

constexpr std::array<std::pair<at::ScalarType, const char*>, 10> kDtypes = {
    {{at::kDouble, "F64"},
     {at::kLong, "I64"},
     {at::kFloat, "F32"},
     {at::kInt, "I32"},
     {at::kBFloat16, "BF16"},
     {at::kHalf, "F16"},
     {at::kShort, "I16"},
     {at::kChar, "I8"},
     {at::kByte, "U8"},
     {at::kBool, "BOOL"}}};

/// The safetensors name of a dtype, or LibTorch's name for unsupported dtypes.
std::string stored_name(at::ScalarType dtype) {
  for (const auto& [known, name] : kDtypes) {
    if (known == dtype) return name;
  }
  return c10::toString(dtype);
}

/// The dtype of a name that the header parser has accepted.
at::ScalarType dtype_of(const std::string& name) {
  for (const auto& [dtype, known] : kDtypes) {
    if (known == name) return dtype;
  }
  LVT_ASSERT(false, "unsupported dtype " + name);
  return at::kFloat;
}

/// A file that is hashed while it is read or written sequentially.
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

/// The tensors' entries in file order, with their offsets.
std::vector<TensorEntry> lay_out(const TensorMap& tensors, const std::string& location) {
  std::vector<TensorEntry> entries;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined())
      throw DataError("'" + location + "': tensor '" + name + "' is undefined");
    entries.push_back({name, stored_name(tensor.scalar_type()), tensor.sizes().vec()});
  }
  return lay_out_tensors(std::move(entries), location);
}

/// Checks that bools are 0 or 1, since other bit patterns are undefined behavior.
void check_bools(const TensorEntry& entry, const at::Tensor& tensor, const std::string& location) {
  if (tensor.scalar_type() != at::kBool) return;
  const auto* bytes = static_cast<const uint8_t*>(tensor.const_data_ptr());
  const bool valid = std::all_of(bytes, bytes + tensor.numel(), [](uint8_t b) { return b <= 1; });
  if (!valid) {
    throw DataError("'" + location + "': tensor '" + entry.name + "' has bools other than 0 and 1");
  }
}

}  // namespace

std::string dtype_name(at::ScalarType dtype) {
  const std::string name = stored_name(dtype);
  LVT_ASSERT(dtype_bytes(name) > 0, "unsupported dtype " + name);
  return name;
}

std::string tensor_sha256(const std::string& name, const at::Tensor& tensor) {
  LVT_ASSERT(tensor.is_contiguous() && tensor.is_cpu(), "hashing requires a contiguous CPU tensor");
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
  const std::string prefix = safetensors_prefix(entries, metadata, path.string());
  HashedFile file(path, O_WRONLY | O_CREAT | O_TRUNC, "write");
  SafetensorsWritten written;
  file.write(prefix.data(), prefix.size());
  for (const auto& entry : entries) {
    const at::Tensor tensor = tensors.at(entry.name).detach().cpu().contiguous();
    file.write(tensor.const_data_ptr(), tensor.nbytes());
    written.tensor_sha256[entry.name] = tensor_sha256(entry.name, tensor);
  }
  file.sync();
  written.bytes = prefix.size() + (entries.empty() ? 0 : entries.back().end);
  written.sha256 = file.hash();
  return written;
}

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  const std::string location = path.string();
  // O_NONBLOCK: opening a FIFO must not block; size() rejects it.
  HashedFile file(path, O_RDONLY | O_NONBLOCK, "read");
  const uint64_t size = file.size();
  std::string first(std::min<uint64_t>(size, sizeof(uint64_t)), '\0');
  file.read(first.data(), first.size());
  const uint64_t length = safetensors_header_length(first, size, location);
  std::string json(length, '\0');
  file.read(json.data(), json.size());
  auto header = parse_safetensors_header(json, size - first.size() - length, location);
  SafetensorsFile result;
  result.metadata = std::move(header.metadata);
  for (const auto& entry : header.entries) {
    const at::Tensor tensor = at::empty(entry.shape, dtype_of(entry.dtype));
    file.read(tensor.mutable_data_ptr(), tensor.nbytes());
    check_bools(entry, tensor, location);
    result.tensor_sha256[entry.name] = tensor_sha256(entry.name, tensor);
    result.tensors[entry.name] = tensor;
  }
  result.sha256 = file.hash();
  return result;
}

}  // namespace lvtext
