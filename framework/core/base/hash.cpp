#include "framework/core/base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/input_file.h"

namespace lvtext {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  LVT_ASSERT(state_->context && EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr),
             "SHA-256 is not available in libcrypto");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(const void* data, size_t bytes) {
  EVP_DigestUpdate(state_->context, data, bytes);
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest;
  EVP_DigestFinal_ex(state_->context, digest.data(), nullptr);
  static const char* digits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::string sha256_file(const std::filesystem::path& path) {
  const InputFile file(path);
  Sha256 hash;
  std::vector<char> block(1 << 20);
  while (const size_t bytes = file.read(block.data(), block.size())) {
    hash.update(block.data(), bytes);
  }
  return hash.hex();
}

uint32_t crc32c(const void* data, size_t bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> entries{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0x82f63b78u : 0u);
      entries[i] = value;
    }
    return entries;
  }();
  uint32_t crc = ~0u;
  const auto* at = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; ++i) crc = table[(crc ^ at[i]) & 255] ^ (crc >> 8);
  return ~crc;
}

}  // namespace lvtext
