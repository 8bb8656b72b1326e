#include "framework/core/sources/synthcxr.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/report_captions.h"
#include "framework/core/sources/split_mix.h"

namespace lvtext {
namespace {

constexpr int64_t kMeasured = 64;  // side of measured images

constexpr std::array kSides = {Side::kLeft, Side::kRight};
constexpr std::array kZoneY = {.28, .42, .56};

size_t index_of(Side side) {
  return side == Side::kLeft ? 0 : 1;
}
/// `x` is the coordinate on the right side of the patient.
double mirrored(Side side, double x) {
  return side == Side::kRight ? x : 1 - x;
}
double zone_x(Side side, size_t zone) {
  static constexpr std::array kX = {.275, .26, .24};
  return mirrored(side, kX[zone]);
}

size_t focal_index(Side side, size_t zone, FindingKind kind) {
  return (index_of(side) * 3 + zone) * 2 + (kind == FindingKind::kNodule ? 1 : 0);
}
constexpr size_t kEffusionIndex = 12, kHeartIndex = 14;

bool has_effusion(const std::vector<Finding>& findings, Side side) {
  return std::any_of(findings.begin(), findings.end(), [side](const Finding& each) {
    return each.kind == FindingKind::kEffusion && each.side == side;
  });
}
bool has_focal(const std::vector<Finding>& findings, Side side, size_t zone) {
  return std::any_of(findings.begin(), findings.end(), [side, zone](const Finding& each) {
    return each.is_focal() && each.side == side && each.zone == zone;
  });
}
bool has_enlarged_heart(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& each) { return each.kind == FindingKind::kEnlargedHeart; });
}

/// Draws a finding and adds it, unless it hides one that is there.
void draw_finding(SplitMix64& random, std::vector<Finding>& findings) {
  const double kind = random.uniform();
  Finding drawn;
  bool fits = false;
  if (kind < .60) {
    drawn.kind = random.below(2) == 0 ? FindingKind::kOpacity : FindingKind::kNodule;
    drawn.side = kSides[random.below(2)];
    drawn.zone = random.below(3);
    fits = !has_focal(findings, drawn.side, drawn.zone) &&
           !(drawn.zone == 2 && has_effusion(findings, drawn.side));
  } else if (kind < .80) {
    drawn.kind = FindingKind::kEffusion;
    drawn.side = kSides[random.below(2)];
    fits = !has_effusion(findings, drawn.side) && !has_focal(findings, drawn.side, 2);
  } else {
    drawn.kind = FindingKind::kEnlargedHeart;
    fits = !has_enlarged_heart(findings);
  }
  if (fits) findings.push_back(drawn);
}

double logistic(double a) {
  return 1 / (1 + std::exp(-std::clamp(a, -50., 50.)));
}
double fourth(double a) {
  return a * a * a * a;
}
/// Distance from an ellipse's center, 1 at its border.
double elliptic(double dx, double dy, double width, double height) {
  return std::hypot(dx / width, dy / height);
}

/// Adds a finding to the brightness of the point (x, y), of which `lung` is inside the lungs.
void add_finding(const Finding& finding, double x, double y, double lung, double& brightness) {
  if (finding.is_focal()) {
    const bool is_opacity = finding.kind == FindingKind::kOpacity;
    const double height = is_opacity ? .34 : .50, radius = is_opacity ? .060 : .016;
    const double dx = x - zone_x(finding.side, finding.zone) - finding.dx;
    const double dy = y - kZoneY[finding.zone] - finding.dy;
    brightness += height * std::exp(-(dx * dx + dy * dy) / (2 * radius * radius)) * lung;
  } else if (finding.kind == FindingKind::kEffusion) {
    if (std::abs(x - mirrored(finding.side, .30)) >= .20) return;
    brightness += (.62 - brightness) * logistic((y - .65 - finding.dy) / .012) * lung;
  }
}

/// Brightness of the point (x, y) of a body.
double brightness_at(const ChestScene& scene, double x, double y) {
  const double body = logistic((1 - (fourth((x - .5) / .46) + fourth((y - .58) / .62))) / .06);
  double value = .04 + .56 * body;
  double lung = 0;
  for (const double center : {.30, .70}) {
    lung = std::max(lung, logistic((1 - elliptic(x - center, y - .46, .155, .36)) / .05));
  }
  value += (.20 - value) * lung;
  const double ribs =
      std::sin(2 * std::numbers::pi * (9 * y + 1.2 * std::abs(x - .5)) + scene.phase);
  value += .04 * std::max(0., ribs) * lung;
  for (const Finding& finding : scene.findings) add_finding(finding, x, y, lung, value);
  value += (.72 - value) * std::exp(-fourth((x - .5) / .06));  // mediastinum
  value += (.78 - value) * logistic((1 - elliptic(x - .52, y - .63, scene.heart, .13)) / .06);
  const double from_lung = std::min(std::abs(x - .30), std::abs(x - .70)) / .15;
  const double diaphragm = .75 + .04 * from_lung * from_lung;
  value += (.70 - value) * logistic((y - diaphragm) / .010) * body;
  return value;
}

void check_size(int64_t size) {
  LVT_ASSERT(size > 0 && size % kMeasured == 0, "the size must be a multiple of 64");
}

/// A sentence of a report; normal ones may be left out of a caption.
struct Sentence {
  std::string text;
  bool is_normal = false;
};

using Templates = std::array<std::string, 3>;
const std::array<std::string, 2> kSideNames = {"left", "right"};
const std::array<std::string, 3> kZoneNames = {"upper", "mid", "lower"};

Templates heart_templates(bool is_enlarged) {
  if (is_enlarged) {
    return {"the heart is enlarged", "there is cardiomegaly", "enlarged cardiac silhouette"};
  }
  return {"the heart is normal in size", "heart size is within normal limits",
          "normal cardiac silhouette"};
}

Templates focal_templates(FindingKind kind, Side side, size_t zone) {
  const bool is_opacity = kind == FindingKind::kOpacity;
  const std::string& at_side = kSideNames[index_of(side)];
  const std::string where = at_side + " " + kZoneNames[zone] + " zone";
  const std::string name = is_opacity ? "opacity" : "nodule";
  return {"there is " + std::string(is_opacity ? "an " : "a ") + name + " in the " + where,
          where + " " + name,
          std::string{at_side.front()} + kZoneNames[zone].front() + "z " + name};
}

Templates effusion_templates(Side side) {
  const std::string& where = kSideNames[index_of(side)];
  return {"there is a " + where + " pleural effusion", where + " sided pleural effusion",
          where + " effusion"};
}

Templates pleura_templates(bool has_effusions) {
  if (has_effusions) {
    return {"no pneumothorax", "there is no pneumothorax", "no evidence of pneumothorax"};
  }
  return {"no pleural effusion or pneumothorax", "there is no effusion or pneumothorax",
          "no pneumothorax or pleural effusion"};
}

/// The sentences of a report, each from one of three templates.
std::vector<Sentence> chest_report(const std::vector<Finding>& findings, SplitMix64& random) {
  std::vector<Sentence> report;
  const auto add = [&](const Templates& templates, bool is_normal) {
    report.push_back({templates[random.below(templates.size())], is_normal});
  };
  const bool is_enlarged = has_enlarged_heart(findings);
  add(heart_templates(is_enlarged), !is_enlarged);
  const bool is_clear = std::none_of(findings.begin(), findings.end(),
                                     [](const Finding& each) { return each.is_focal(); });
  if (is_clear) {
    add({"the lungs are clear", "lungs are clear bilaterally", "no focal consolidation"}, true);
  }
  for (const Finding& each : findings) {
    if (each.is_focal()) add(focal_templates(each.kind, each.side, each.zone), false);
  }
  bool has_effusions = false;
  for (const Finding& each : findings) {
    if (each.kind != FindingKind::kEffusion) continue;
    has_effusions = true;
    add(effusion_templates(each.side), false);
  }
  add(pleura_templates(has_effusions), true);
  return report;
}

void remove_normal(std::vector<Sentence>& sentences, SplitMix64& random) {
  const auto count = std::count_if(sentences.begin(), sentences.end(),
                                   [](const Sentence& each) { return each.is_normal; });
  size_t left = random.below(static_cast<size_t>(count));
  const auto chosen = std::find_if(sentences.begin(), sentences.end(), [&](const Sentence& each) {
    return each.is_normal && left-- == 0;
  });
  sentences.erase(chosen);
}

std::string caption_of(const std::vector<Sentence>& sentences) {
  std::vector<std::string> texts;
  for (const Sentence& each : sentences) texts.push_back(each.text);
  return join(texts, " ");
}

/// An image averaged to 64 x 64, 0 to 1.
class Measured {
 public:
  template <class T>
  Measured(std::span<const T> image, int64_t size, double full) {
    check_size(size);
    LVT_ASSERT(std::ssize(image) == size * size, "the image must be square and of this size");
    const int64_t block = size / kMeasured;
    for (int64_t row = 0; row < size; ++row) {
      for (int64_t column = 0; column < size; ++column) {
        pixels_[static_cast<size_t>(row / block * kMeasured + column / block)] +=
            static_cast<double>(image[static_cast<size_t>(row * size + column)]);
      }
    }
    for (double& pixel : pixels_) pixel /= full * static_cast<double>(block * block);
  }

  struct Region {
    double mean, max;
  };
  /// The pixels from (x0, y0) up to (x1, y1), in shares of the side.
  Region region(double x0, double x1, double y0, double y1) const {
    const auto pixel = [](double at) {
      return static_cast<size_t>(std::floor(kMeasured * at + .5));
    };
    double sum = 0, max = 0;
    for (size_t row = pixel(y0); row < pixel(y1); ++row) {
      for (size_t column = pixel(x0); column < pixel(x1); ++column) {
        const double value = pixels_[row * kMeasured + column];
        sum += value;
        max = std::max(max, value);
      }
    }
    const size_t count = (pixel(x1) - pixel(x0)) * (pixel(y1) - pixel(y0));
    return {sum / static_cast<double>(count), max};
  }

 private:
  std::array<double, kMeasured* kMeasured> pixels_ = {};
};

ChestFeatures features_of(const Measured& image) {
  constexpr double kReach = .047;
  ChestFeatures features = {};
  size_t next = 0;
  for (const Side side : kSides) {
    for (size_t zone = 0; zone < kZoneY.size(); ++zone) {
      const double x = zone_x(side, zone), y = kZoneY[zone];
      const auto [mean, max] = image.region(x - kReach, x + kReach, y - kReach, y + kReach);
      features[next++] = mean;
      features[next++] = max;
    }
  }
  for (const Side side : kSides) {
    const double x = mirrored(side, .235);
    features[next++] = image.region(x - .045, x + .045, .675, .715).mean;
  }
  features[next] = image.region(.360, .390, .59, .67).mean;
  return features;
}

}  // namespace

ChestScene chest_scene(uint64_t seed, uint64_t index) {
  SplitMix64 random(seed, index, RandomStream::kScene);
  ChestScene scene;
  scene.dx = random.uniform(-.02, .02);
  scene.dy = random.uniform(-.02, .02);
  scene.scale = random.uniform(.96, 1.04);
  scene.gain = random.uniform(.92, 1.08);
  scene.phase = random.uniform(0, 2 * std::numbers::pi);
  const double share = random.uniform();
  const size_t count = share < .36 ? 0 : share < .68 ? 1 : 2;
  while (scene.findings.size() < count) draw_finding(random, scene.findings);
  scene.heart =
      has_enlarged_heart(scene.findings) ? random.uniform(.170, .182) : random.uniform(.100, .115);
  for (Finding& each : scene.findings) {
    each.dx = random.uniform(-.012, .012);
    each.dy = random.uniform(-.012, .012);
  }
  return scene;
}

std::vector<double> clean_chest_image(const ChestScene& scene, int64_t size) {
  check_size(size);
  const auto center = [size](int64_t pixel) {
    return (static_cast<double>(pixel) + .5) / static_cast<double>(size);
  };
  std::vector<double> image;
  image.reserve(static_cast<size_t>(size * size));
  for (int64_t row = 0; row < size; ++row) {
    const double y = (center(row) - .5 - scene.dy) / scene.scale + .5;
    for (int64_t column = 0; column < size; ++column) {
      const double x = (center(column) - .5 - scene.dx) / scene.scale + .5;
      image.push_back(scene.gain * brightness_at(scene, x, y));
    }
  }
  return image;
}

std::vector<double> chest_image(const ChestScene& scene, int64_t size, uint64_t seed,
                                uint64_t index) {
  std::vector<double> image = clean_chest_image(scene, size);
  SplitMix64 random(seed, index, RandomStream::kPixelNoise);
  for (double& pixel : image) {
    double sum = 0;
    for (int draw = 0; draw < 4; ++draw) sum += random.uniform();
    pixel = std::clamp(pixel + .02 * (sum - 2) * std::numbers::sqrt3, 0., 1.);
  }
  return image;
}

std::vector<uint8_t> image_bytes(std::span<const double> values) {
  std::vector<uint8_t> bytes;
  bytes.reserve(values.size());
  for (const double value : values)
    bytes.push_back(static_cast<uint8_t>(std::floor(255 * value + .5)));
  return bytes;
}

std::vector<std::string> chest_captions(const ChestScene& scene, uint64_t seed, uint64_t index) {
  SplitMix64 random(seed, index, RandomStream::kCaptions);
  const std::vector<Sentence> report = chest_report(scene.findings, random);
  return different_captions(caption_of(report), [&] {
    std::vector<Sentence> sentences = report;
    random.permute(sentences);
    if (random.uniform() < .5) remove_normal(sentences, random);
    return caption_of(sentences);
  });
}

ChestAttributes attributes_of(const ChestScene& scene) {
  ChestAttributes attributes = {};
  for (const Finding& each : scene.findings) {
    size_t index = kHeartIndex;
    if (each.is_focal()) {
      index = focal_index(each.side, each.zone, each.kind);
    } else if (each.kind == FindingKind::kEffusion) {
      index = kEffusionIndex + index_of(each.side);
    }
    attributes[index] = true;
  }
  return attributes;
}

ChestFeatures chest_features(std::span<const double> image, int64_t size) {
  return features_of(Measured(image, size, 1));
}
ChestFeatures chest_features(std::span<const uint8_t> image, int64_t size) {
  return features_of(Measured(image, size, 255));
}

ChestReading read_chest(const ChestFeatures& features) {
  std::array<double, 6> means = {};
  for (size_t zone = 0; zone < means.size(); ++zone) means[zone] = features[2 * zone];
  std::sort(means.begin(), means.end());
  const double reference = (means[2] + means[3]) / 2;
  ChestReading reading;
  const auto exceeds = [&](double feature, double threshold) {
    const double excess = feature - reference - threshold;
    reading.is_close = reading.is_close || std::abs(excess) < .02;
    return excess > 0;
  };
  for (size_t zone = 0; zone < means.size(); ++zone) {
    const bool is_opacity = exceeds(features[2 * zone], .16);
    reading.attributes[2 * zone] = is_opacity;
    reading.attributes[2 * zone + 1] = !is_opacity && exceeds(features[2 * zone + 1], .30);
  }
  for (size_t i = kEffusionIndex; i < kHeartIndex; ++i) {
    reading.attributes[i] = exceeds(features[i], .215);
  }
  reading.attributes[kHeartIndex] = exceeds(features[kHeartIndex], .30);
  return reading;
}

SwapCaption swap_caption(size_t index) {
  LVT_ASSERT(index < kSwapCaptions, "the probe has 30 captions");
  size_t first = 0, second = 1;  // zones, side * 3 + zone
  for (size_t pair = 0; pair < index / 2; ++pair) {
    if (++second == 6) second = ++first + 1;
  }
  std::array kinds = {FindingKind::kOpacity, FindingKind::kNodule};
  if (index % 2 == 1) std::swap(kinds[0], kinds[1]);
  SwapCaption caption;
  std::vector<std::string> sentences = {heart_templates(false)[0]};
  for (size_t i = 0; i < kinds.size(); ++i) {
    const size_t zone = i == 0 ? first : second;
    sentences.push_back(focal_templates(kinds[i], kSides[zone / 3], zone % 3)[1]);
    caption.attributes[focal_index(kSides[zone / 3], zone % 3, kinds[i])] = true;
  }
  sentences.push_back(pleura_templates(false)[0]);
  caption.text = join(sentences, " ");
  return caption;
}

}  // namespace lvtext
