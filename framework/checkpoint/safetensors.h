// The safetensors format: a length, a JSON header, raw little-endian tensors. No code, no pickle.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

using TensorMap = std::map<std::string, at::Tensor>;

/// Where one tensor lies in a file; `begin` and `end` count bytes after the header.
struct TensorEntry {
  std::string name;
  at::ScalarType dtype = at::kFloat;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  /// In the order of their bytes, which they cover without gap or overlap.
  std::vector<TensorEntry> entries;
  std::map<std::string, std::string> metadata;
};

struct SafetensorsFile {
  TensorMap tensors;
  std::map<std::string, std::string> metadata;
  /// SHA-256 of the whole file and of each tensor (tensor_sha256), taken from the bytes read.
  std::string sha256;
  std::map<std::string, std::string> tensor_sha256;
};

/// What was written: the file's size and the same hashes.
struct SafetensorsWritten {
  uint64_t bytes = 0;
  std::string sha256;
  std::map<std::string, std::string> tensor_sha256;
};

/// Limits of a header; a file beyond them is refused before anything of its size is allocated.
inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;
inline constexpr size_t kMaxTensors = 100'000;
inline constexpr size_t kMaxRank = 8;
inline constexpr size_t kMaxNameBytes = 1024;

/// "F32", "BF16" ...; throws std::logic_error for a dtype that is not stored.
std::string dtype_name(at::ScalarType dtype);

/// SHA-256 over name, dtype, shape and bytes of a tensor that is contiguous on the CPU.
std::string tensor_sha256(const std::string& name, const at::Tensor& tensor);

/// Writes `tensors` (any device, any strides; F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL) to `path`
/// and syncs it. Wide types come first, then by name, so that every tensor is aligned. Throws
/// io_error, or DataError for a name or dtype that the format cannot hold.
SafetensorsWritten write_safetensors(const std::filesystem::path& path, const TensorMap& tensors,
                                     const std::map<std::string, std::string>& metadata = {});

/// Reads a file onto the CPU, checking every field (DataError naming file and tensor): known
/// dtypes, shape x dtype = bytes without overflow, offsets that cover the data exactly, no
/// duplicate names.
SafetensorsFile read_safetensors(const std::filesystem::path& path);

/// Parses and checks a header's JSON text for `data_bytes` of tensor data; `place` names the file.
SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& place);

/// One line on what a file seems to be ("a PyTorch archive (zip) ..."), from its first bytes; empty
/// if nothing is recognised.
std::string recognise_foreign(std::string_view first_bytes);

}  // namespace lvtext
