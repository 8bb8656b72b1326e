// Reading and writing of tensors in safetensors files (framework/core/base/safetensors_format.h).
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
  /// SHA-256 of the whole file and of each tensor (tensor_sha256), computed from the bytes read.
  std::string sha256;
  std::map<std::string, std::string> tensor_sha256;
};

/// Size and hashes of a written file, as in SafetensorsFile.
struct SafetensorsWritten {
  uint64_t bytes = 0;
  std::string sha256;
  std::map<std::string, std::string> tensor_sha256;
};

/// "F32", "BF16" ...; throws std::logic_error for an unsupported dtype.
std::string dtype_name(at::ScalarType dtype);

/// SHA-256 over name, dtype, shape and bytes of a contiguous CPU tensor.
std::string tensor_sha256(const std::string& name, const at::Tensor& tensor);

/// Writes `tensors` (any device, any strides; F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL) to `path`
/// and syncs it. Tensors are ordered by descending element size, then by name, so that each is
/// aligned. Throws io_error, or DataError for a name or dtype that the format does not support.
SafetensorsWritten write_safetensors(const std::filesystem::path& path, const TensorMap& tensors,
                                     const std::map<std::string, std::string>& metadata = {});

/// Reads a file into CPU tensors. Checks all fields: known dtypes, shape x dtype = bytes without
/// overflow, offsets that cover the data exactly, no duplicate names. Throws DataError with the
/// file and tensor.
SafetensorsFile read_safetensors(const std::filesystem::path& path);

}  // namespace lvtext
