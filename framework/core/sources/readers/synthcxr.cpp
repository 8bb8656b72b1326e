#include "framework/core/sources/synthcxr.h"

#include "framework/core/sources/record_reader.h"

namespace lvtext {
namespace {

constexpr FieldType kCaptionsType{.ragged = true};
const FieldType kAttributesType{.kind = ColumnKind::kVector, .shape = {kChestAttributes}};

std::vector<float> attribute_values(const ChestAttributes& attributes) {
  return {attributes.begin(), attributes.end()};
}

/// Draws chest radiographs with captions and attributes.
struct SynthcxrReader : RecordReader {
  int64_t size = 64;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "height and width of the images, a multiple of 64", in_range(64, 1024));
    v.check(size % 64 == 0, "size: must be a multiple of 64");
  }

  std::vector<std::string> fields() const override { return {"image", "captions", "attributes"}; }
  FieldTypes types() const override {
    return {{"image", {.kind = ColumnKind::kImage, .shape = {1, size, size}}},
            {"captions", kCaptionsType},
            {"attributes", kAttributesType}};
  }
  bool generates() const override { return true; }
  Record draw(uint64_t seed, uint64_t index) const override {
    const ChestScene scene = chest_scene(seed, index);
    return {ImageBytes(image_bytes(chest_image(scene, size, seed, index))),
            chest_captions(scene, seed, index), attribute_values(attributes_of(scene))};
  }
};

/// The captions of the probe of word order, with the attributes that they name.
struct SynthcxrSwapsReader : RecordReader {
  template <class V>
  void visit(V&) {}

  std::vector<std::string> fields() const override { return {"captions", "attributes"}; }
  FieldTypes types() const override {
    return {{"captions", kCaptionsType}, {"attributes", kAttributesType}};
  }
  bool generates() const override { return true; }
  Record draw(uint64_t, uint64_t index) const override {
    const SwapCaption caption = swap_caption(index % kSwapCaptions);
    return {std::vector<std::string>{caption.text}, attribute_values(caption.attributes)};
  }
};

}  // namespace

void add_synthcxr(Choices<RecordReader>& readers) {
  add_component<SynthcxrReader>(readers, "synthcxr",
                                "draws chest radiographs with captions and findings");
  add_component<SynthcxrSwapsReader>(
      readers, "synthcxr_swaps",
      "15 pairs of captions of chest radiographs with equal words in another order");
}

}  // namespace lvtext
