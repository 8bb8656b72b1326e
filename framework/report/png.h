// Pictures of pixels: what drawings need, and the PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
};

/// A picture in memory, white at first. Coordinates are pixels from the upper left corner; what
/// lies outside is left out.
class Canvas {
 public:
  /// The height of a line of text at scale 1, and the width of a letter with the gap behind it.
  static constexpr int kLine = 10, kLetter = 6;

  Canvas(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }
  Colour pixel(int x, int y) const;

  /// A filled circle with a smooth edge, mixed with what is there by `opacity`.
  void disc(double x, double y, double radius, Colour colour, double opacity = 1);
  /// A frame of lines one pixel wide.
  void frame(int x, int y, int width, int height, Colour colour);
  /// One line of 5x7 letters, each dot `scale` pixels wide; (x, y) is the upper left corner. What
  /// is not ASCII is shown as '?'.
  void text(int x, int y, std::string_view text, int scale, Colour colour);

  /// The file's bytes: 8 bits a channel, no alpha, no metadata.
  std::string png() const;

 private:
  void mix(int x, int y, Colour colour, double opacity);

  int width_, height_;
  std::vector<uint8_t> bytes_;  // red, green, blue, row by row
};

}  // namespace lvtext
