// UTF-8: validation compared with an independent decoder, repair, and truncation.
#include "framework/core/base/utf8.h"

#include "tests/fuzz/fuzz.h"

namespace lvtext::fuzz {
namespace {

/// Decodes code points and checks their ranges; the validation of framework/core/base checks byte
/// ranges instead.
bool is_valid(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
    const int length = byte(at) < 0x80   ? 1
                       : byte(at) < 0xC0 ? 0
                       : byte(at) < 0xE0 ? 2
                       : byte(at) < 0xF0 ? 3
                       : byte(at) < 0xF8 ? 4
                                         : 0;
    if (length == 0 || at + length > text.size()) return false;
    uint32_t point = length == 1 ? byte(at) : byte(at) & (0x7F >> length);
    for (int k = 1; k < length; ++k) {
      if ((byte(at + k) & 0xC0) != 0x80) return false;
      point = point << 6 | (byte(at + k) & 0x3F);
    }
    constexpr uint32_t kMin[] = {0, 1, 0x80, 0x800, 0x10000};  // NUL is invalid
    if (point < kMin[length] || point > 0x10FFFF) return false;
    if (point >= 0xD800 && point <= 0xDFFF) return false;
    at += length;
  }
  return true;
}

}  // namespace
}  // namespace lvtext::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lvtext;
  using lvtext::fuzz::require;
  const std::string_view text = fuzz::text_of(data, size);
  const auto problem = find_invalid_utf8(text);
  require(!problem == fuzz::is_valid(text), "an error is found if and only if a text is invalid");
  if (problem) {
    require(problem->length > 0 && problem->at + problem->length <= size,
            "an error is within the text");
    require(fuzz::is_valid(text.substr(0, problem->at)), "the text before the error is valid");
  }
  const std::string repaired = replace_invalid_utf8(text);
  require(fuzz::is_valid(repaired), "a repaired text is valid");
  if (!problem) require(repaired == text, "a valid text is not changed");
  for (size_t bytes = 0; bytes <= repaired.size() && bytes < 64; ++bytes) {
    const size_t prefix = utf8_prefix(repaired, bytes);
    require(prefix <= bytes && prefix + 4 > bytes, "a prefix is the longest possible");
    require(fuzz::is_valid(std::string_view(repaired).substr(0, prefix)),
            "a prefix does not split a sequence");
  }
  return 0;
}
