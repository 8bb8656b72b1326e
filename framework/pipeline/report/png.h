// Raster images as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// A raster image: bytes of red, green and blue, row by row.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;
};
/// PNG file with 8 bits per channel, without alpha and metadata.
std::string png_of(const Picture& picture);
/// PNG file as a URL for pages and SVG: "data:image/png;base64,...".
std::string png_link(const Picture& picture);

/// Base 64 of RFC 4648, padded.
std::string base64(std::string_view bytes);

}  // namespace lvtext
