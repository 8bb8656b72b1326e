#include "framework/core/base/printable.h"

namespace lvtext {
namespace {

void add_hex(std::string& out, unsigned char byte) {
  constexpr const char* kDigits = "0123456789abcdef";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0xF];
}

std::string escaped(std::string_view text, bool one_line) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // C1 in UTF-8
      out += "\\u00";
      add_hex(out, static_cast<unsigned char>(next));
      ++i;
    } else if (byte == '\n' || byte == '\t') {
      one_line ? out += byte == '\n' ? "\\n" : "\\t" : out += text[i];
    } else if (one_line && byte == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      add_hex(out, byte);
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, /*one_line=*/false);
}

std::string printable_line(std::string_view text) {
  return escaped(text, /*one_line=*/true);
}

}  // namespace lvtext
