#include "framework/pipeline/report/png.h"

#include <zlib.h>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

void append_big_endian(std::string& out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xFF);
}

/// Length, name, data, and the checksum of name and data.
void append_chunk(std::string& out, const std::string& name, const std::string& data) {
  append_big_endian(out, static_cast<uint32_t>(data.size()));
  const std::string body = name + data;
  out += body;
  append_big_endian(out, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                     static_cast<uInt>(body.size()))));
}

}  // namespace

std::string png_of(const Picture& picture) {
  const auto& [width, height, bytes] = picture;
  std::string rows;
  const size_t row = size_t{3} * width;
  for (int y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(bytes.data()) + y * row, row);
  }
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  const int failed = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(rows.data()), rows.size(), 9);
  LVT_ASSERT(failed == Z_OK, "zlib failed to compress an image");
  packed.resize(size);
  std::string header;
  append_big_endian(header, static_cast<uint32_t>(width));
  append_big_endian(header, static_cast<uint32_t>(height));
  header += std::string("\x08\x02\x00\x00\x00",
                        5);  // 8 bits, RGB, deflate, filter method 0, no interlace
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", packed);
  append_chunk(out, "IEND", "");
  return out;
}

std::string png_link(const Picture& picture) {
  return "data:image/png;base64," + base64(png_of(picture));
}

std::string base64(std::string_view bytes) {
  static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < count ? static_cast<uint8_t>(bytes[at + i]) : 0U);
    }
    for (size_t i = 0; i < 4; ++i) out += i <= count ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

}  // namespace lvtext
