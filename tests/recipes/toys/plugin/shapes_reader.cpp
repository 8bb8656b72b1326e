// Reader of images with a square in one of four corners and captions with its position and
// brightness.
#include "framework/core/model/plugin.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/tensor/philox.h"

namespace toys {

using namespace lvtext;

/// Corner `index % 4`; in every second group of four it is bright. Pixels vary by 16 of 256 levels.
struct ShapesReader : RecordReader {
  static constexpr int64_t kSide = 8;

  template <class V>
  void visit(V&) {}

  std::vector<std::string> fields() const override { return {"image", "captions", "corner"}; }
  FieldTypes types() const override {
    return {{"image", {.kind = ColumnKind::kImage, .shape = {1, kSide, kSide}}},
            {"captions", {.ragged = true}}};
  }
  bool generates() const override { return true; }
  Record draw(uint64_t seed, uint64_t index) const override {
    const bool bottom = index % 4 >= 2, right = index % 2 == 1, bright = index / 4 % 2 == 1;
    const std::string light = bright ? "bright" : "dim";
    const std::string vertical = bottom ? "bottom" : "top";
    const std::string horizontal = right ? "right" : "left";
    std::vector<std::string> captions = {
        "a " + light + " square at the " + vertical + " " + horizontal,
        vertical + " " + horizontal + " " + light};
    if (index % 3 == 0) captions.push_back("the square is " + light + " and " + vertical);
    std::vector<float> pixels;
    for (int64_t row = 0; row < kSide; ++row) {
      for (int64_t column = 0; column < kSide; ++column) {
        const bool inside = (row >= kSide / 2) == bottom && (column >= kSide / 2) == right;
        const auto noise = philox4x32({static_cast<uint32_t>(index), static_cast<uint32_t>(row),
                                       static_cast<uint32_t>(column), 0},
                                      {static_cast<uint32_t>(seed), 0})[0] %
                           16;
        pixels.push_back(static_cast<float>((inside ? (bright ? 224 : 112) : 0) + noise));
      }
    }
    return {std::move(pixels), std::move(captions), vertical + "_" + horizontal};
  }
};

void add_shapes_reader(Registries& registries) {
  add_component<ShapesReader, RecordReader>(registries, "toy_shapes",
                                            "generates squares of 8 x 8 pixels with captions");
}

}  // namespace toys
