// Options of Sentence-BERT: size, text length and dropout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

enum class SbertSize { kSmall, kMinilm, kBase, kLarge };
const std::vector<EnumName<SbertSize>>& enum_names(SbertSize);

/// What a preset fixes; the MLP is four times as wide as the residual stream.
struct SbertShape {
  int64_t layers = 0, heads = 0, width = 0, positions = 0;
};
SbertShape preset_shape(SbertSize size);

struct SbertOptions {
  SbertSize size = SbertSize::kMinilm;
  Defaulted<int64_t> layers, heads, width, positions, length;
  bool normalize = true;
  double dropout = 0.1;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of layers, heads, width and positions");
    const SbertShape preset = preset_shape(size);
    layers.usual = preset.layers;
    heads.usual = preset.heads;
    width.usual = preset.width;
    positions.usual = preset.positions;
    v.field("layers", layers, "number of blocks; unset: from `size`", in_range(1, 1024));
    v.field("heads", heads, "number of attention heads; unset: from `size`", in_range(1, 1024));
    v.field("width", width, "units of the residual stream; unset: from `size`", in_range(1, 65536));
    v.field("positions", positions, "number of position vectors; unset: from `size`",
            in_range(2, 1 << 20));
    length.usual = std::min<int64_t>(256, positions.effective());
    v.field(
        "length", length,
        "number of tokens, with BOS and EOS, after which a sentence is cut; unset: 256, if there "
        "are so many positions",
        in_range(2, 1 << 20), unit("tokens"));
    v.field("normalize", normalize, "divides a vector by its L2 norm");
    v.field("dropout", dropout,
            "probability of dropping an attention weight or a unit of the embeddings and of the "
            "outputs of attention and MLP",
            Bounds{0, 1, false, /*high_open=*/true});
    v.check(width.effective() % heads.effective() == 0, "width must be a multiple of heads");
    v.check(length.effective() <= positions.effective(), "length must not exceed positions");
  }
};

}  // namespace lvtext
