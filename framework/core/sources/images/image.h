// An image in memory.
#pragma once

#include <cstdint>
#include <vector>

namespace lvtext {

/// An image of bytes [channels, rows, columns], grey (one channel) or RGB (three).
struct Image {
  int64_t channels = 1, rows = 0, columns = 0;
  std::vector<uint8_t> bytes = {};

  bool operator==(const Image&) const = default;
};

}  // namespace lvtext
