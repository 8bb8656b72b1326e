#include "models/sbert/sbert_options.h"

namespace lvtext {

const std::vector<EnumName<SbertSize>>& enum_names(SbertSize) {
  static const std::vector<EnumName<SbertSize>> names = {
      {"small", SbertSize::kSmall, "2 layers of 64 units, 2 heads, 128 positions"},
      {"minilm", SbertSize::kMinilm, "6 layers of 384 units, 12 heads, 512 positions"},
      {"base", SbertSize::kBase, "12 layers of 768 units, 12 heads, 512 positions"},
      {"large", SbertSize::kLarge, "24 layers of 1024 units, 16 heads, 512 positions"}};
  return names;
}

SbertShape preset_shape(SbertSize size) {
  switch (size) {
    case SbertSize::kSmall: return {2, 2, 64, 128};
    case SbertSize::kMinilm: return {6, 12, 384, 512};
    case SbertSize::kBase: return {12, 12, 768, 512};
    case SbertSize::kLarge: return {24, 16, 1024, 512};
  }
  return {};
}

}  // namespace lvtext
