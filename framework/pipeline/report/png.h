// Pictures of pixels: what drawings need, and the PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

struct Color {
  uint8_t red = 0, green = 0, blue = 0;
};

/// A picture's bytes, red, green and blue row by row, as a PNG file: 8 bits a channel, no alpha, no
/// metadata.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;
};
std::string png_of(const Picture& picture);
/// A PNG file as a part of a page or an SVG: "data:image/png;base64,...".
std::string png_link(const Picture& picture);

/// Base 64 of RFC 4648, padded.
std::string base64(std::string_view bytes);

/// A picture in memory, white at first. Coordinates are pixels from the upper left corner; what
/// lies outside is left out.
class Canvas {
 public:
  /// The height of a line of text at scale 1, and the width of a letter with the gap behind it.
  static constexpr int kLine = 10, kLetter = 6;

  Canvas(int width, int height);
  int width() const { return picture_.width; }
  int height() const { return picture_.height; }
  Color pixel(int x, int y) const;

  /// A filled circle with a smooth edge, mixed with what is there by `opacity`.
  void disc(double x, double y, double radius, Color color, double opacity = 1);
  /// A frame of lines one pixel wide.
  void frame(int x, int y, int width, int height, Color color);
  /// One line of 5x7 letters, each dot `scale` pixels wide; (x, y) is the upper left corner. What
  /// is not ASCII is shown as '?'.
  void text(int x, int y, std::string_view text, int scale, Color color);

  /// The file's bytes.
  std::string png() const;

 private:
  void mix(int x, int y, Color color, double opacity);

  Picture picture_;
};

}  // namespace lvtext
