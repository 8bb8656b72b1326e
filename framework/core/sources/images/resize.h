// Channels, crop and size of images.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/core/sources/images/image.h"

namespace lvtext {

/// Treatment of images that are not square.
enum class Crop { kCenter, kNone };
const std::vector<EnumName<Crop>>& enum_names(Crop);

/// The image with `channels` (1 or 3) channels: a grey value becomes all three colors; colors
/// become the luma of ITU-R BT.601, (19595 R + 38470 G + 7471 B + 32768) / 65536 rounded down.
Image with_channels(Image image, int64_t channels);

/// The central square; of an odd margin, the smaller half is at the top or left.
Image center_square(const Image& image);

/// Resizes by the triangle filter, whose support is 1 input pixel when enlarging and the ratio of
/// the sizes when reducing, so that every input pixel counts: columns first, then rows, each result
/// rounded to a byte, coefficients of 22 bits. Equal to BILINEAR of Pillow.
Image resize(const Image& image, int64_t rows, int64_t columns);

/// The form in which the images of a data set are stored.
struct ImageForm {
  int64_t size = 64;
  int64_t channels = 1;
  Crop crop = Crop::kCenter;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "rows and columns of an image", Bounds{1, 4096});
    v.field("channels", channels, "1: grey, 3: RGB; images of files are converted", Bounds{1, 3});
    v.field("crop", crop, "treatment of images that are not square");
    v.check(channels != 2, "channels: must be 1 or 3");
  }
};

/// The image in this form. Throws DataError, whose message begins with `name`, for an image that is
/// not square with Crop::kNone.
Image fit_image(Image image, const ImageForm& form, const std::string& name);

}  // namespace lvtext
