// The layout of a safetensors file: a length, a JSON header, raw little-endian tensors. Weights and
// datasets share it; nothing here knows LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// Limits of a header; a file beyond them is refused before anything of its size is allocated.
inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;
inline constexpr size_t kMaxTensors = 100'000;
inline constexpr size_t kMaxRank = 8;
inline constexpr size_t kMaxNameBytes = 1024;

/// Where one tensor lies in a file; `begin` and `end` count bytes after the header.
struct TensorEntry {
  std::string name;
  std::string dtype;  ///< "F32", "I64" ...
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  /// In the order of their bytes, which they cover without gap or overlap.
  std::vector<TensorEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// Bytes of one number of a dtype; 0 for a dtype that is not stored.
uint64_t dtype_bytes(std::string_view dtype);
/// "F64, I64 ...", for messages.
std::string known_dtypes();

/// Sets `begin` and `end` of tensors with given name, dtype and shape: wide types first, then by
/// name, so that every tensor is aligned. Throws DataError for what the format cannot hold; `place`
/// names the file.
std::vector<TensorEntry> lay_out_tensors(std::vector<TensorEntry> entries,
                                         const std::string& location);

/// What a file of these tensors begins with: the header's length and the header. Throws DataError
/// where a name or the metadata is not UTF-8, or the header is too long.
std::string safetensors_prefix(const std::vector<TensorEntry>& entries,
                               const std::map<std::string, std::string>& metadata,
                               const std::string& location);

/// The length of the header of a file of `file_bytes` bytes that begins with `first_bytes` (8 of
/// them, or as many as there are). Throws DataError if it can be no safetensors file.
uint64_t safetensors_header_length(std::string_view first_bytes, uint64_t file_bytes,
                                   const std::string& location);

/// Parses and checks a header's JSON text for `data_bytes` of tensor data: known dtypes, shape x
/// dtype = bytes without overflow, offsets that cover the data exactly, no duplicate names. Throws
/// DataError naming file and tensor.
SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& location);

/// One line on what a file seems to be ("a PyTorch archive (zip) ..."), from its first bytes; empty
/// if nothing is recognized.
std::string recognize_foreign(std::string_view first_bytes);

}  // namespace lvtext
