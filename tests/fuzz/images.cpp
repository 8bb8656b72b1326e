// Image files: whatever is decoded has as many bytes as its sizes say, and can be resized.
#include "framework/core/sources/images/decode.h"
#include "framework/core/sources/images/resize.h"
#include "tests/fuzz/fuzz.h"

using namespace lvtext;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Image image;
  if (!fuzz::accepted([&] { image = decode_image(fuzz::text_of(data, size), "'x'"); })) return 0;
  const auto bytes = static_cast<int64_t>(image.bytes.size());
  fuzz::require(
      image.rows > 0 && image.columns > 0 && bytes == image.channels * image.rows * image.columns,
      "an image has channels x rows x columns bytes");
  fuzz::require(image.channels == 1 || image.channels == 3, "an image is grey or RGB");
  const Image fitted = fit_image(image, {.size = 8, .channels = 3}, "'x'");
  fuzz::require(fitted.bytes.size() == 3 * 8 * 8, "an image is resized");
  return 0;
}
