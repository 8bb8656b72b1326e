#include "framework/core/sources/images/decode.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it
#include <cstring>

#include <jpeglib.h>  // NOLINT(llvm-include-order)

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr std::string_view kPngBegin("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view kJpegBegin("\xff\xd8\xff", 3);

/// State of a decoder. The libraries report errors by longjmp(), past the frames of their callers:
/// everything that must be destroyed is a member of an object outside of them.
struct Decoder {
  std::string_view left;  ///< bytes that were not read yet
  std::string reason;     ///< reason of an error; "" if there was none
  int64_t rows = 0, columns = 0, channels = 0;
  std::vector<uint8_t> pixels = {};  ///< [rows, columns, channels]
  std::vector<uint8_t*> lines = {};
  std::jmp_buf failed = {};

  /// Allocates the pixels; sets `reason` if there are too many.
  void allocate() {
    if (rows > kMaxImageSide || columns > kMaxImageSide || rows * columns > kMaxImagePixels) {
      reason = "it has " + std::to_string(rows) + "x" + std::to_string(columns) +
               " pixels, more than is decoded (" + format_count(kMaxImagePixels) + ")";
      return;
    }
    pixels.resize(rows * columns * channels);
    for (int64_t row = 0; row < rows; ++row) lines.push_back(&pixels[row * columns * channels]);
  }
};

void png_failed(png_structp png, png_const_charp message) {
  auto* decoder = static_cast<Decoder*>(png_get_error_ptr(png));
  decoder->reason = message;
  std::longjmp(decoder->failed, 1);
}

void png_warned(png_structp /*png*/, png_const_charp /*message*/) {}

void read_png_bytes(png_structp png, png_bytep to, size_t count) {
  auto* decoder = static_cast<Decoder*>(png_get_io_ptr(png));
  if (count > decoder->left.size()) png_error(png, "the file is truncated");
  std::memcpy(to, decoder->left.data(), count);
  decoder->left.remove_prefix(count);
}

void decode_png(png_structp png, png_infop info, Decoder& decoder) {
  if (setjmp(decoder.failed) != 0) return;  // NOLINT(cert-err52-cpp): the library's way
  png_set_read_fn(png, &decoder, read_png_bytes);
  png_set_user_limits(png, kMaxImageSide, kMaxImageSide);
  png_set_chunk_malloc_max(png, png_alloc_size_t{1} << 24);
  png_read_info(png, info);
  png_set_scale_16(png);
  png_set_expand(png);  // palettes, fewer than 8 bits, transparent colors
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  decoder.rows = png_get_image_height(png, info);
  decoder.columns = png_get_image_width(png, info);
  decoder.channels = png_get_channels(png, info);
  decoder.allocate();
  if (!decoder.reason.empty()) return;
  png_read_image(png, decoder.lines.data());
  png_read_end(png, nullptr);
}

/// Removes the last of two or four channels. Sets the decoder's reason if it is not opaque.
void drop_alpha(Decoder& decoder) {
  const int64_t channels = decoder.channels;
  if (channels != 2 && channels != 4) return;
  size_t to = 0;
  for (size_t from = 0; from < decoder.pixels.size(); from += channels) {
    if (decoder.pixels[from + channels - 1] != 255) {
      decoder.reason = "it has transparent pixels; store it on a background, without alpha";
      return;
    }
    for (int64_t c = 0; c + 1 < channels; ++c) decoder.pixels[to++] = decoder.pixels[from + c];
  }
  decoder.pixels.resize(to);
  --decoder.channels;
}

void read_png(Decoder& decoder) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, png_failed, png_warned);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (info) {
    decode_png(png, info, decoder);
  } else {
    decoder.reason = "libpng " PNG_LIBPNG_VER_STRING " cannot be used";
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (decoder.reason.empty()) drop_alpha(decoder);
}

Decoder& decoder_of(j_common_ptr jpeg) {
  return *static_cast<Decoder*>(jpeg->client_data);
}

[[noreturn]] void jpeg_failed(j_common_ptr jpeg) {
  char message[JMSG_LENGTH_MAX] = {};
  jpeg->err->format_message(jpeg, message);
  Decoder& decoder = decoder_of(jpeg);
  decoder.reason = message;
  std::longjmp(decoder.failed, 1);
}

/// Warnings mean damaged data, of which the library would make up the rest.
void jpeg_warning(j_common_ptr jpeg, int level) {
  if (level < 0) jpeg_failed(jpeg);
}

void decode_jpeg(jpeg_decompress_struct& jpeg, Decoder& decoder) {
  if (setjmp(decoder.failed) != 0) return;  // NOLINT(cert-err52-cpp): the library's way
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(decoder.left.data()),
               decoder.left.size());
  jpeg_read_header(&jpeg, TRUE);
  if (jpeg.num_components != 1 && jpeg.num_components != 3) {
    decoder.reason = "it has " + std::to_string(jpeg.num_components) +
                     " components, such as CMYK; convert it to RGB";
    return;
  }
  jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg.dct_method = JDCT_ISLOW;
  decoder.rows = jpeg.image_height;
  decoder.columns = jpeg.image_width;
  decoder.channels = jpeg.num_components;
  decoder.allocate();
  if (!decoder.reason.empty()) return;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    jpeg_read_scanlines(&jpeg, &decoder.lines[jpeg.output_scanline], 1);
  }
  jpeg_finish_decompress(&jpeg);
}

void read_jpeg(Decoder& decoder) {
  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = jpeg_failed;
  errors.emit_message = jpeg_warning;
  jpeg.client_data = &decoder;
  decode_jpeg(jpeg, decoder);
  jpeg_destroy_decompress(&jpeg);
}

}  // namespace

Image decode_image(std::string_view file, const std::string& name) {
  Decoder decoder{.left = file};
  if (file.starts_with(kPngBegin)) {
    read_png(decoder);
  } else if (file.starts_with(kJpegBegin)) {
    read_jpeg(decoder);
  } else {
    throw DataError(name + (file.empty() ? " is empty" : " is neither a PNG nor a JPEG file"));
  }
  if (!decoder.reason.empty()) throw DataError(name + " cannot be decoded: " + decoder.reason);
  Image image{decoder.channels, decoder.rows, decoder.columns, {}};
  image.bytes.reserve(decoder.pixels.size());
  for (int64_t channel = 0; channel < image.channels; ++channel) {
    for (size_t at = channel; at < decoder.pixels.size(); at += image.channels) {
      image.bytes.push_back(decoder.pixels[at]);
    }
  }
  return image;
}

}  // namespace lvtext
