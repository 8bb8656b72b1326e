#include "framework/core/base/characters.h"

namespace lvtext {

std::string ascii_lower(std::string text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

}  // namespace lvtext
