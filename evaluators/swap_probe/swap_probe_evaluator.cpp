#include "evaluators/swap_probe/swap_probe_evaluator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "evaluators/image_columns.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// Zones, side * 3 + zone, of the findings of a caption.
struct Zones {
  size_t opacity = 0, nodule = 0;
  bool operator==(const Zones&) const = default;
};

/// None unless there are exactly one opacity and one nodule.
std::optional<Zones> zones_of(const ChestAttributes& attributes) {
  std::array<std::vector<size_t>, 2> found;  // of opacities, of nodules
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (!attributes[i]) continue;
    if (i >= 12) return std::nullopt;
    found[i % 2].push_back(i / 2);
  }
  if (found[0].size() != 1 || found[1].size() != 1) return std::nullopt;
  return Zones{found[0].front(), found[1].front()};
}

/// The zones of the captions. Throws DataError unless they are pairs with exchanged kinds.
std::vector<Zones> zones_of_pairs(const std::vector<ChestAttributes>& captions) {
  std::vector<Zones> all;
  for (size_t row = 0; row < captions.size(); ++row) {
    const auto zones = zones_of(captions[row]);
    const bool is_first = row % 2 == 0;
    const bool fits = zones && (is_first || *zones == Zones{all.back().nodule, all.back().opacity});
    if (!fits || (is_first && row + 1 == captions.size())) {
      throw DataError("row " + format_count(row + 1) +
                      " of 'real' is not one of a pair of captions with an opacity and a nodule "
                      "exchanged; use the set synthcxr-swaps");
    }
    all.push_back(*zones);
  }
  return all;
}

std::vector<float> vector_of(const DatasetColumn& column, int64_t row) {
  std::vector<float> values(static_cast<size_t>(column.length(row)));
  column.copy(row, 0, values.data());
  return values;
}

bool has_equal_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

std::vector<InputDecl> SwapProbeEvaluator::inputs() const {
  return {{.name = "drawn",
           .help = "images of the captions, in the column image; both captions of a pair have the "
                   "same noise",
           .type = ArtifactType::kDataset,
           .aligned_with = "real"},
          {.name = "real",
           .help = "the captions' records, with the column attributes",
           .type = ArtifactType::kDataset},
          {.name = "embeddings",
           .help = "vectors of the captions, in the column embedding",
           .type = ArtifactType::kDataset,
           .aligned_with = "real"}};
}

std::vector<Score> SwapProbeEvaluator::evaluate(const Inputs& inputs) const {
  const Dataset drawn = inputs.dataset("drawn"), real = inputs.dataset("real");
  const DatasetColumn embeddings = inputs.dataset("embeddings").column("embedding");
  if (drawn.size() != real.size() || embeddings.size() != real.size()) {
    throw DataError("'drawn', 'embeddings' and 'real' have " + format_count(drawn.size()) + ", " +
                    format_count(embeddings.size()) + " and " + format_count(real.size(), "row"));
  }
  const std::vector<ChestAttributes> captions = chest_attributes(real, "real");
  const std::vector<Zones> zones = zones_of_pairs(captions);
  const auto readings = chest_readings(drawn, "drawn");
  // One row per pair, because the images of a pair are drawn from the same noise.
  const size_t pairs = captions.size() / 2;
  std::vector<double> exact(2 * pairs), in_zone(2 * pairs), equal;
  for (size_t row = 0; row < captions.size(); ++row) {
    const size_t at = row / 2 * 2;
    for (const auto& [seen, is_close] : readings[row]) {
      const bool is_in_zone = seen[2 * zones[row].opacity] && !seen[2 * zones[row].nodule];
      exact[at] += seen == captions[row] ? 1 : 0;
      in_zone[at] += is_in_zone ? 1 : 0;
      exact[at + 1] += 1;
      in_zone[at + 1] += 1;
    }
    if (row % 2 == 0) continue;
    const auto index = static_cast<int64_t>(row);
    const bool is_equal =
        has_equal_bits(vector_of(embeddings, index - 1), vector_of(embeddings, index));
    equal.push_back(is_equal ? 1 : 0);
  }
  double images = 0;
  for (size_t pair = 0; pair < pairs; ++pair) images += exact[2 * pair + 1];
  const auto score = [&](const std::string& id, Direction direction, SentenceRows rows) {
    return summarized({.id = id,
                       .reason = "there are no images",
                       .direction = direction,
                       .signature = "swap_probe|n_pairs:" + std::to_string(pairs) +
                                    "|n_images:" + std::to_string(static_cast<int64_t>(images)) +
                                    "|" + id + "|version:" + std::to_string(kRevision),
                       .rows = std::move(rows)});
  };
  return {score("zone", Direction::kHigher, {"ratio", 2, std::move(in_zone)}),
          score("exact", Direction::kHigher, {"ratio", 2, std::move(exact)}),
          score("equal_vectors", Direction::kNone, {"mean", 1, std::move(equal)})};
}

void register_swap_probe(Registries& registries) {
  add_evaluator<SwapProbeEvaluator, NoOptions>(
      registries, "swap_probe",
      "Whether images of chest radiographs follow the order of the words of their captions", {});
}

}  // namespace lvtext
