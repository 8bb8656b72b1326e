// Encodes raster images as PNG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// A raster image: 8-bit RGB, row by row.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;
};
/// Content of a PNG file with 8 bits per channel, without alpha and metadata.
std::string png_of(const Picture& picture);
/// The PNG as a data URL for pages and SVG: "data:image/png;base64,...".
std::string png_link(const Picture& picture);

/// Base64 (RFC 4648) with padding.
std::string base64(std::string_view bytes);

}  // namespace lvtext
