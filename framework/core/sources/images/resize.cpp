#include "framework/core/sources/images/resize.h"

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

constexpr int kBits = 22;  ///< bits of a coefficient's fraction

/// The weights of the input positions begin, begin + 1, ... in one output position.
struct Taps {
  int64_t begin = 0;
  std::vector<int32_t> weights = {};
};

std::vector<Taps> taps_of(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0);
  std::vector<Taps> all(to);
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto begin =
        std::max<int64_t>(static_cast<int64_t>(std::floor(center - support + 0.5)), 0);
    const auto end = std::min(static_cast<int64_t>(std::floor(center + support + 0.5)), from);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      const double distance = std::abs((static_cast<double>(k) - center + 0.5) * (1.0 / support));
      weights.push_back(std::max(1.0 - distance, 0.0));
      sum += weights.back();
    }
    all[i].begin = begin;
    for (const double weight : weights) {
      all[i].weights.push_back(static_cast<int32_t>(std::floor(0.5 + weight / sum * (1 << kBits))));
    }
  }
  return all;
}

/// The weighted sum of values `stride` bytes apart, rounded.
uint8_t weighted(const uint8_t* values, const Taps& taps, int64_t stride) {
  int32_t sum = 1 << (kBits - 1);
  const uint8_t* value = values + taps.begin * stride;
  for (const int32_t weight : taps.weights) {
    sum += *value * weight;
    value += stride;
  }
  return static_cast<uint8_t>(std::clamp(sum >> kBits, 0, 255));
}

Image resized_columns(const Image& image, int64_t columns) {
  if (columns == image.columns) return image;
  const auto taps = taps_of(image.columns, columns);
  Image resized{image.channels, image.rows, columns, {}};
  resized.bytes.reserve(image.channels * image.rows * columns);
  for (int64_t row = 0; row < image.channels * image.rows; ++row) {
    const uint8_t* line = &image.bytes[row * image.columns];
    for (const Taps& each : taps) resized.bytes.push_back(weighted(line, each, 1));
  }
  return resized;
}

Image resized_rows(const Image& image, int64_t rows) {
  if (rows == image.rows) return image;
  const auto taps = taps_of(image.rows, rows);
  Image resized{image.channels, rows, image.columns, {}};
  resized.bytes.reserve(image.channels * rows * image.columns);
  for (int64_t channel = 0; channel < image.channels; ++channel) {
    const uint8_t* plane = &image.bytes[channel * image.rows * image.columns];
    for (const Taps& each : taps) {
      for (int64_t column = 0; column < image.columns; ++column) {
        resized.bytes.push_back(weighted(plane + column, each, image.columns));
      }
    }
  }
  return resized;
}

}  // namespace

const std::vector<EnumName<Crop>>& enum_names(Crop) {
  static const std::vector<EnumName<Crop>> names = {
      {"center", Crop::kCenter, "the central square is kept"},
      {"none", Crop::kNone, "an image that is not square is an error"}};
  return names;
}

Image with_channels(Image image, int64_t channels) {
  if (image.channels == channels) return image;
  const int64_t pixels = image.rows * image.columns;
  Image converted{channels, image.rows, image.columns, {}};
  if (channels == 3) {
    for (int c = 0; c < 3; ++c) {
      converted.bytes.insert(converted.bytes.end(), image.bytes.begin(), image.bytes.end());
    }
    return converted;
  }
  converted.bytes.reserve(pixels);
  const uint8_t* red = image.bytes.data();
  for (int64_t i = 0; i < pixels; ++i) {
    const uint32_t luma =
        19595U * red[i] + 38470U * red[pixels + i] + 7471U * red[2 * pixels + i] + 32768U;
    converted.bytes.push_back(static_cast<uint8_t>(luma >> 16));
  }
  return converted;
}

Image center_square(const Image& image) {
  const int64_t side = std::min(image.rows, image.columns);
  if (side == std::max(image.rows, image.columns)) return image;
  const int64_t top = (image.rows - side) / 2, left = (image.columns - side) / 2;
  Image square{image.channels, side, side, {}};
  square.bytes.reserve(image.channels * side * side);
  for (int64_t channel = 0; channel < image.channels; ++channel) {
    for (int64_t row = top; row < top + side; ++row) {
      const uint8_t* line = &image.bytes[(channel * image.rows + row) * image.columns + left];
      square.bytes.insert(square.bytes.end(), line, line + side);
    }
  }
  return square;
}

Image resize(const Image& image, int64_t rows, int64_t columns) {
  return resized_rows(resized_columns(image, columns), rows);
}

Image fit_image(Image image, const ImageForm& form, const std::string& name) {
  if (form.crop == Crop::kNone && image.rows != image.columns) {
    throw DataError(name + " has " + std::to_string(image.rows) + " rows and " +
                    std::to_string(image.columns) +
                    " columns and is not square; use crop: center, or crop it");
  }
  image = center_square(with_channels(std::move(image), form.channels));
  return resize(image, form.size, form.size);
}

}  // namespace lvtext
