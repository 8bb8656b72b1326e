#include "framework/core/text/unicode.h"

#include <utf8proc.h>

#include <array>

#include "framework/core/base/error.h"
#include "framework/core/base/utf8.h"

namespace lvtext {
namespace {

std::vector<int32_t> decomposed(std::string_view text, utf8proc_option_t options) {
  const std::string valid = replace_invalid_utf8(text);
  std::vector<int32_t> points(valid.size());  // enough for most texts
  for (;;) {
    const utf8proc_ssize_t count =
        utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                           std::ssize(valid), points.data(), std::ssize(points), options);
    LVT_ASSERT(count >= 0, std::string("utf8proc: ") + utf8proc_errmsg(count));
    const bool fits = count <= std::ssize(points);
    points.resize(static_cast<size_t>(count));
    if (fits) return points;
  }
}

}  // namespace

std::vector<int32_t> canonical_decomposition(std::string_view text) {
  return decomposed(text, UTF8PROC_DECOMPOSE);
}

std::vector<int32_t> code_points(std::string_view text) {
  return decomposed(text, static_cast<utf8proc_option_t>(0));
}

void append_utf8(std::string& text, int32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t length = utf8proc_encode_char(code_point, bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(length));
}

bool is_word_character(int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return true;
    default: return code_point == '_';
  }
}

int32_t lower_case(int32_t code_point) {
  return utf8proc_tolower(code_point);
}

std::string unicode_version() {
  return std::string("utf8proc ") + utf8proc_version() + ", Unicode " + utf8proc_unicode_version();
}

}  // namespace lvtext
