#include "evaluators/synthcxr_attributes/synthcxr_attributes_evaluator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "evaluators/chest_kinds.h"
#include "evaluators/image_columns.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

bool has_findings(const ChestAttributes& attributes) {
  return std::any_of(attributes.begin(), attributes.end(), [](bool value) { return value; });
}

/// The same finding on the other side.
size_t mirrored(size_t attribute) {
  if (attribute >= kFocals) return attribute == kFocals ? kFocals + 1 : kFocals;
  return (attribute + kFocals / 2) % kFocals;
}

/// Numerator and denominator of a ratio, summed over images.
struct Fraction {
  double part = 0, whole = 0;
};
using Compare =
    std::function<Fraction(const ChestAttributes& caption, const ChestAttributes& seen)>;

/// F1 = 2 hits / (named + seen).
Compare f1_of(const ChestKind& kind) {
  return [has = kind.has](const ChestAttributes& caption, const ChestAttributes& seen) {
    Fraction sum;
    for (size_t i = 0; i < caption.size(); ++i) {
      if (!has(i)) continue;
      sum.part += caption[i] && seen[i] ? 2 : 0;
      sum.whole += (caption[i] ? 1 : 0) + (seen[i] ? 1 : 0);
    }
    return sum;
  };
}

Fraction exact(const ChestAttributes& caption, const ChestAttributes& seen) {
  return {caption == seen ? 1. : 0., 1};
}
Fraction exact_with_findings(const ChestAttributes& caption, const ChestAttributes& seen) {
  return has_findings(caption) ? exact(caption, seen) : Fraction();
}

/// Findings that are seen on the other side alone.
Fraction wrong_side(const ChestAttributes& caption, const ChestAttributes& seen) {
  Fraction sum;
  for (size_t i = 0; i < kSided; ++i) {
    if (!caption[i]) continue;
    const size_t other = mirrored(i);
    sum.whole += 1;
    sum.part += !seen[i] && seen[other] && !caption[other] ? 1 : 0;
  }
  return sum;
}

/// Opacities and nodules that are seen in another zone of their side alone.
Fraction wrong_zone(const ChestAttributes& caption, const ChestAttributes& seen) {
  Fraction sum;
  for (size_t i = 0; i < kFocals; ++i) {
    if (!caption[i]) continue;
    sum.whole += 1;
    bool is_elsewhere = false;
    const size_t side = i / 6 * 6;
    for (size_t other = side + i % 2; other < side + 6; other += 2) {
      is_elsewhere = is_elsewhere || (seen[other] && !caption[other]);
    }
    sum.part += !seen[i] && is_elsewhere ? 1 : 0;
  }
  return sum;
}

struct Measure {
  std::string id, help, reason;
  Direction direction;
  Compare compare;
};

std::vector<Measure> measures() {
  const std::string no_findings = "no caption names a finding";
  std::vector<Measure> all = {
      {"exact", "share of images that show exactly the findings of their caption",
       "there are no images", Direction::kHigher, exact},
      {"exact_with_findings", "the same of captions that name findings", no_findings,
       Direction::kHigher, exact_with_findings}};
  for (const ChestKind& kind : chest_kinds()) {
    all.push_back({"f1" + kind.suffix, "micro-averaged F1 of " + kind.name,
                   "neither captions nor images have " + kind.name, Direction::kHigher,
                   f1_of(kind)});
  }
  return all;
}

std::vector<Measure> location_errors() {
  return {{"wrong_side", "share of findings that are seen on the other side only",
           "no caption names a finding with a side", Direction::kLower, wrong_side},
          {"wrong_zone", "share of opacities and nodules that are seen in another zone only",
           "no caption names an opacity or nodule", Direction::kLower, wrong_zone}};
}

/// Image and caption agree (C), differ (N), or differ while a feature that decides is close to its
/// threshold (U).
enum class Verdict { kCongruent, kNot, kUnclear };
Verdict verdict_of(const ChestAttributes& caption, const ChestReading& reading) {
  if (caption == reading.attributes) return Verdict::kCongruent;
  return reading.is_close ? Verdict::kUnclear : Verdict::kNot;
}

}  // namespace

std::vector<Score> attribute_scores(const std::vector<ChestAttributes>& captions,
                                    const std::vector<std::vector<ChestReading>>& seen) {
  LVT_ASSERT(captions.size() == seen.size(), "each caption must have its images");
  const size_t rows = captions.size();
  size_t images = 0;
  for (const auto& each : seen) images += each.size();
  const auto signature = [&](const std::string& id) {
    return "synthcxr_attributes|n_images:" + std::to_string(images) +
           "|n_captions:" + std::to_string(rows) + "|" + id +
           "|version:" + std::to_string(SynthcxrAttributesEvaluator::kRevision);
  };
  std::vector<Score> scores;
  const auto add_ratio = [&](const std::string& id, const std::string& reason, Direction direction,
                             std::vector<double> values) {
    scores.push_back(summarized({.id = id,
                                 .reason = reason,
                                 .direction = direction,
                                 .signature = signature(id),
                                 .rows = {"ratio", 2, std::move(values)}}));
  };
  // `shift`: 1 to compare with the next caption.
  const auto add = [&](const Measure& measure, const std::string& prefix, size_t shift) {
    std::vector<double> values;
    for (size_t row = 0; row < rows; ++row) {
      Fraction sum;
      for (const ChestReading& reading : seen[row]) {
        const auto [part, whole] =
            measure.compare(captions[(row + shift) % rows], reading.attributes);
        sum.part += part;
        sum.whole += whole;
      }
      values.insert(values.end(), {sum.part, sum.whole});
    }
    const Direction direction = shift == 0 ? measure.direction : Direction::kNone;
    add_ratio(prefix + measure.id, measure.reason, direction, std::move(values));
  };
  for (const Measure& measure : measures()) add(measure, "", 0);
  for (const Measure& measure : location_errors()) add(measure, "", 0);
  for (const Measure& measure : measures()) add(measure, "next_", 1);

  std::array<int64_t, 3> counts = {};
  std::vector<double> odds, shares;
  for (size_t row = 0; row < rows; ++row) {
    std::array<double, 3> of_row = {};
    for (const ChestReading& reading : seen[row]) {
      ++of_row[static_cast<size_t>(verdict_of(captions[row], reading))];
    }
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += static_cast<int64_t>(of_row[i]);
    odds.insert(odds.end(), {of_row[0], of_row[1]});
    shares.insert(shares.end(), {of_row[0], of_row[0] + of_row[1]});
  }
  // Counts have no interval: they depend on the number of images.
  for (const auto& [id, verdict] :
       {std::pair("congruent", Verdict::kCongruent), std::pair("not_congruent", Verdict::kNot),
        std::pair("unclear", Verdict::kUnclear)}) {
    scores.push_back({.id = id,
                      .value = static_cast<double>(counts[static_cast<size_t>(verdict)]),
                      .unit = "images",
                      .n = static_cast<int64_t>(rows),
                      .signature = signature(id)});
  }
  add_ratio("congruent_odds", "no image contradicts its caption", Direction::kHigher,
            std::move(odds));
  add_ratio("congruent_share", "all images are unclear", Direction::kHigher, std::move(shares));
  return scores;
}

std::vector<ScoreDecl> SynthcxrAttributesEvaluator::scores() {
  std::vector<ScoreDecl> all;
  for (const Measure& each : measures()) all.push_back({each.id, each.help});
  for (const Measure& each : location_errors()) all.push_back({each.id, each.help});
  for (const Measure& each : measures()) {
    all.push_back(
        {"next_" + each.id, each.help + ", compared with the next caption: chance level"});
  }
  all.push_back({"congruent", "number of images that show the findings of their caption"});
  all.push_back({"not_congruent", "number of images that clearly show others"});
  all.push_back(
      {"unclear", "number of images that show others, with a feature close to a threshold"});
  all.push_back({"congruent_odds", "congruent per not congruent images"});
  all.push_back({"congruent_share", "share of congruent images among those that are not unclear"});
  return all;
}

std::vector<InputDecl> SynthcxrAttributesEvaluator::inputs() const {
  return {{.name = "drawn",
           .help = "drawn images, in the column image, one or several per row",
           .type = ArtifactType::kDataset,
           .by_default = reference("row.drawn"),
           .aligned_with = "real"},
          {.name = "real",
           .help = "their records, with the column attributes",
           .type = ArtifactType::kDataset}};
}

std::vector<Score> SynthcxrAttributesEvaluator::evaluate(const Inputs& inputs) const {
  const Dataset drawn = inputs.dataset("drawn"), real = inputs.dataset("real");
  if (drawn.size() != real.size()) {
    throw DataError("'drawn' has " + format_count(drawn.size(), "row") + ", but 'real' has " +
                    format_count(real.size()) + "; draw images for these records");
  }
  return attribute_scores(chest_attributes(real, "real"), chest_readings(drawn, "drawn"));
}

void register_synthcxr_attributes(Registries& registries) {
  add_evaluator<SynthcxrAttributesEvaluator, NoOptions>(
      registries, "synthcxr_attributes",
      "Agreement of drawn chest radiographs with the findings of their captions", {});
}

}  // namespace lvtext
