// Reads and writes tensors in safetensors files (framework/core/base/safetensors_format.h).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lvtext {

using TensorMap = std::map<std::string, at::Tensor>;

struct SafetensorsFile {
  TensorMap tensors;
  std::map<std::string, std::string> metadata;
  /// SHA-256 of the file and of each tensor (tensor_sha256), computed from the bytes read.
  std::string sha256;
  std::map<std::string, std::string> tensor_sha256;
};

/// Size and hashes of a written file.
struct SafetensorsWritten {
  uint64_t bytes = 0;
  std::string sha256;
  std::map<std::string, std::string> tensor_sha256;
};

/// "F32", "BF16" ...; throws std::logic_error for unsupported dtypes.
std::string dtype_name(at::ScalarType dtype);

/// SHA-256 of name, dtype, shape and bytes of a contiguous tensor on the CPU.
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

}  // namespace lvtext
