// Generated chest radiographs: scenes with findings, their images and captions, and the measurement
// of findings in an image. Readers and evaluators share it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lvtext {

/// Side of a patient; the left one is at the right of the image.
enum class Side { kLeft, kRight };
enum class FindingKind { kOpacity, kNodule, kEffusion, kEnlargedHeart };

/// A finding; side and zone (0 upper, 1 mid, 2 lower) have a meaning for opacities and nodules, the
/// side for effusions, too. `dx` and `dy` displace it.
struct Finding {
  FindingKind kind = FindingKind::kOpacity;
  Side side = Side::kLeft;
  size_t zone = 0;
  double dx = 0, dy = 0;

  /// Opacity or nodule.
  bool is_focal() const { return kind == FindingKind::kOpacity || kind == FindingKind::kNodule; }
};

/// Lengths are shares of the image's side.
struct ChestScene {
  double dx = 0, dy = 0, scale = 1;  ///< position and size of the body
  double gain = 1;                   ///< brightness
  double phase = 0;                  ///< phase of the ribs' pattern
  double heart = 0.1;                ///< half the width of the heart
  std::vector<Finding> findings;     ///< at most two, in the order in which they were drawn
};

/// Scene of patient `index`: a function of both (stream 1). 36 % have no finding, 32 % one.
ChestScene chest_scene(uint64_t seed, uint64_t index);

/// The image [size, size] of a scene without noise, row by row, about 0 to 1. `size` is a positive
/// multiple of 64; images of other sizes show the same scene.
std::vector<double> clean_chest_image(const ChestScene& scene, int64_t size);
/// The image of patient `index` with film grain (stream 2), 0 to 1.
std::vector<double> chest_image(const ChestScene& scene, int64_t size, uint64_t seed,
                                uint64_t index);
/// Bytes floor(255 v + 0.5) of values from 0 to 1.
std::vector<uint8_t> image_bytes(std::span<const double> values);

/// One to four different captions of patient `index` (stream 3), 30 words at most. Each names all
/// findings; the first has all sentences in the order heart, lungs, pleura.
std::vector<std::string> chest_captions(const ChestScene& scene, uint64_t seed, uint64_t index);

inline constexpr size_t kChestAttributes = 15;
/// Which findings there are: (side * 3 + zone) * 2 + kind for opacities (0) and nodules (1), 12 and
/// 13 effusion left and right, 14 enlarged heart.
using ChestAttributes = std::array<bool, kChestAttributes>;
ChestAttributes attributes_of(const ChestScene& scene);

/// Brightness of regions, 0 to 1: mean and maximum of each zone, left then right, upper to lower;
/// the regions of an effusion, left and right; the region of an enlarged heart.
using ChestFeatures = std::array<double, 15>;
/// Measures an image [size, size], averaged to 64 x 64 first. `size` is a positive multiple of 64.
ChestFeatures chest_features(std::span<const double> image, int64_t size);
/// The same for bytes, 255 being 1.
ChestFeatures chest_features(std::span<const uint8_t> image, int64_t size);

/// The findings that an image shows, as measured.
struct ChestReading {
  ChestAttributes attributes = {};
  /// A feature that decided is within 0.02 of its threshold.
  bool is_close = false;
};
/// Compares features with thresholds. Each zone is relative to the median of the six means, so that
/// the brightness of the whole image has little effect.
ChestReading read_chest(const ChestFeatures& features);

/// A caption of the probe of word order, and what it says. Both captions of a pair have the same
/// words: an opacity in one zone and a nodule in another, and the kinds exchanged.
struct SwapCaption {
  std::string text;
  ChestAttributes attributes = {};
};
/// Number of captions of the probe: those of pair i are 2 i and 2 i + 1.
inline constexpr size_t kSwapCaptions = 30;
/// Caption `index` of the probe.
SwapCaption swap_caption(size_t index);

}  // namespace lvtext
