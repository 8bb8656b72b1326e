// Decoding of PNG and JPEG files.
#pragma once

#include <string>
#include <string_view>

#include "framework/core/sources/images/image.h"

namespace lvtext {

/// Largest number of rows or columns, and of pixels, of an image that is decoded.
inline constexpr int64_t kMaxImageSide = int64_t{1} << 15;
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 26;

/// Decodes a PNG or JPEG file, which is recognized by its content, to one channel if it is grey and
/// to three if it has colors. PNG: 16-bit samples are scaled to 8 bits (to the nearest), 1, 2 and 4
/// bits to the full range, palettes become RGB, an alpha channel is dropped if all pixels are
/// opaque; color profiles and gamma are ignored. JPEG: grey or YCbCr, with the accurate integer
/// transform. Throws DataError, whose message begins with `name`, for another format, damaged or
/// truncated data (also where a decoder would only warn), transparent pixels, CMYK, and images
/// above the limits.
Image decode_image(std::string_view file, const std::string& name);

}  // namespace lvtext
