#include "framework/core/base/utf8.h"

#include "framework/core/base/characters.h"

namespace lvtext {
namespace {

unsigned char byte_at(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Form of the valid multi-byte sequences with a given first byte (Unicode table 3-7).
struct Shape {
  int continuations;         ///< 0: the byte cannot start a sequence
  unsigned char second_low;  ///< range of the second byte
  unsigned char second_high;
  const char* out_of_range;  ///< the error of an invalid first byte or a second byte out of range
};

Shape shape_of(unsigned char lead) {
  if (lead == 0xE0) return {2, 0xA0, 0xBF, "overlong form"};
  if (lead == 0xED) return {2, 0x80, 0x9F, "surrogate"};
  if (lead == 0xF0) return {3, 0x90, 0xBF, "overlong form"};
  if (lead == 0xF4) return {3, 0x80, 0x8F, "above U+10FFFF"};
  if (lead >= 0xC2 && lead <= 0xDF) return {1, 0x80, 0xBF, ""};
  if (lead >= 0xE1 && lead <= 0xEF) return {2, 0x80, 0xBF, ""};
  if (lead >= 0xF1 && lead <= 0xF3) return {3, 0x80, 0xBF, ""};
  if (lead == 0xC0 || lead == 0xC1) return {0, 0, 0, "overlong form"};
  if (lead >= 0xF5) return {0, 0, 0, "above U+10FFFF"};
  return {0, 0, 0, "continuation byte without a start"};
}

/// Length in bytes of the valid sequence at `at`; for an invalid one returns 0 and sets `problem`.
size_t sequence_at(std::string_view text, size_t at, InvalidUtf8* problem) {
  const unsigned char lead = byte_at(text, at);
  if (lead == 0) {
    *problem = {at, 1, "NUL byte"};
    return 0;
  }
  if (lead < 0x80) return 1;
  const Shape shape = shape_of(lead);
  if (shape.continuations == 0) {
    *problem = {at, 1, shape.out_of_range};
    return 0;
  }
  for (int k = 1; k <= shape.continuations; ++k) {
    if (at + k >= text.size() || !is_utf8_continuation(byte_at(text, at + k))) {
      *problem = {at, static_cast<size_t>(k), "truncated sequence"};
      return 0;
    }
    const unsigned char next = byte_at(text, at + k);
    if (k == 1 && (next < shape.second_low || next > shape.second_high)) {
      *problem = {at, 1, shape.out_of_range};
      return 0;
    }
  }
  return shape.continuations + 1;
}

}  // namespace

std::optional<InvalidUtf8> find_invalid_utf8(std::string_view text, size_t from) {
  InvalidUtf8 problem{};
  while (from < text.size()) {
    const size_t length = sequence_at(text, from, &problem);
    if (length == 0) return problem;
    from += length;
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  size_t from = 0;
  while (const auto problem = find_invalid_utf8(text, from)) {
    clean.append(text.substr(from, problem->at - from)).append("\xEF\xBF\xBD");
    from = problem->at + problem->length;
  }
  return clean.append(text.substr(from));
}

size_t utf8_prefix(std::string_view text, size_t bytes) {
  if (bytes >= text.size()) return text.size();
  size_t end = bytes;
  // A sequence has at most 3 continuation bytes; more of them in a row are ill-formed anyway.
  for (int k = 0; k < 3 && end > 0 && is_utf8_continuation(byte_at(text, end)); ++k) --end;
  return is_utf8_continuation(byte_at(text, end)) ? bytes : end;
}

}  // namespace lvtext
