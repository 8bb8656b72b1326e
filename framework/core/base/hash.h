// SHA-256 (identities, files) and CRC-32C (TensorBoard records).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace lvtext {

/// SHA-256 of a stream of bytes.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(const void* data, size_t bytes);
  void update(std::string_view text) { update(text.data(), text.size()); }
  /// 64 lower-case hexadecimal digits. The object must not be used afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of a text, as 64 hexadecimal digits.
std::string sha256(std::string_view text);
/// SHA-256 of a file, read as a stream. Throws MissingError or an io_error.
std::string sha256_file(const std::filesystem::path& path);
/// CRC-32C (Castagnoli) of `bytes`, as used by TensorBoard's record format.
uint32_t crc32c(const void* data, size_t bytes);

}  // namespace lvtext
