// The safetensors format: a length, a JSON header, raw little-endian tensors. Used for weights and
// datasets; independent of LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// Limits of a header, checked before memory of its size is allocated.
inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;
inline constexpr size_t kMaxTensors = 100'000;
inline constexpr size_t kMaxRank = 8;
inline constexpr size_t kMaxNameBytes = 1024;

/// Location of a tensor in a file; `begin` and `end` are byte offsets after the header.
struct TensorEntry {
  std::string name;
  std::string dtype;  ///< "F32", "I64" ...
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  /// Sorted by offset; they cover the data without gaps or overlaps.
  std::vector<TensorEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// Bytes per element of a dtype; 0 for unsupported dtypes.
uint64_t dtype_bytes(std::string_view dtype);
/// "F64, I64 ...", for messages.
std::string supported_dtypes();

/// Sets `begin` and `end` of tensors with given name, dtype and shape: wide types first, then by
/// name, so that every tensor is aligned. Throws DataError for tensors that the format does not
/// support; `location` names the file.
std::vector<TensorEntry> lay_out_tensors(std::vector<TensorEntry> entries,
                                         const std::string& location);

/// The start of a file with these tensors: length of the header, and header. Throws DataError if a
/// name or the metadata is not UTF-8 or the header is too long.
std::string safetensors_prefix(const std::vector<TensorEntry>& entries,
                               const std::map<std::string, std::string>& metadata,
                               const std::string& location);

/// The length of the header of a file with `file_bytes` bytes that starts with `first_bytes` (8, or
/// fewer for a shorter file). Throws DataError if it cannot be a safetensors file.
uint64_t safetensors_header_length(std::string_view first_bytes, uint64_t file_bytes,
                                   const std::string& location);

/// Parses and checks a header's JSON text for `data_bytes` of tensor data: known dtypes, shape x
/// dtype = bytes without overflow, offsets that cover the data exactly, no duplicate names. Throws
/// DataError naming file and tensor.
SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& location);

/// Description of a file of another format ("a PyTorch archive (zip) ...") from its first bytes;
/// empty if it is not recognized.
std::string recognize_foreign(std::string_view first_bytes);

}  // namespace lvtext
