#include "evaluators/image_spread/image_spread_evaluator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "evaluators/image_columns.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// Mean over the pixels of the standard deviation over images [N, C, H, W], N > 1, in levels of a
/// byte.
double spread_of(const at::Tensor& images) {
  return images.to(at::kDouble).std(0).mean().item<double>();
}

}  // namespace

std::vector<InputDecl> ImageSpreadEvaluator::inputs() const {
  return {
      {.name = "drawn",
       .help = "drawn images, in the column image, one or several per row",
       .type = ArtifactType::kDataset,
       .by_default = reference("row.drawn")},
      {.name = "real", .help = "real images, in the column image", .type = ArtifactType::kDataset}};
}

std::vector<Score> ImageSpreadEvaluator::evaluate(const Inputs& inputs) const {
  const Dataset drawn = inputs.dataset("drawn"), real = inputs.dataset("real");
  const int64_t n = std::min({options_.images, drawn.size(), real.size()});
  if (n < 2) {
    throw DataError("a spread requires at least two images on each side; there are " +
                    format_count(drawn.size(), "drawn image") + " and " +
                    format_count(real.size(), "real one"));
  }
  const double of_real = spread_of(first_images(real, "real", n));
  const double ratio =
      of_real > 0 ? spread_of(first_images(drawn, "drawn", n)) / of_real : std::nan("");
  const auto signature = [&](const std::string& id, int64_t count) {
    return "image_spread|n_images:" + std::to_string(n) + "|n_rows:" + std::to_string(count) + "|" +
           id + "|version:" + std::to_string(kRevision);
  };
  const std::string no_spread = "the real images are all equal";
  // No interval: bootstrap resamples repeat images, which lowers their spread.
  std::vector<Score> scores = {
      {.id = "spread", .value = ratio, .n = n, .signature = signature("spread", n)},
      {.id = "collapsed",
       .value = std::isnan(ratio) ? ratio : (ratio < options_.collapsed ? 1. : 0.),
       .direction = Direction::kLower,
       .n = n,
       .signature = signature("collapsed|below:" + significant(options_.collapsed, 4), n)}};
  for (Score& score : scores) {
    if (std::isnan(score.value)) score.reason = no_spread;
  }
  std::vector<double> over_noise;
  for (int64_t row = 0; row < drawn.size() && of_real > 0; ++row) {
    const at::Tensor images = images_of_row(drawn, "drawn", row);
    if (images.size(0) > 1) over_noise.push_back(spread_of(images) / of_real);
  }
  const auto captions = static_cast<int64_t>(over_noise.size());
  Score noise = summarized({.id = "noise_spread",
                            .signature = signature("noise_spread", captions),
                            .rows = {"mean", 1, std::move(over_noise)}});
  if (captions == 0) {
    noise.value = std::nan("");
    noise.reason = of_real > 0 ? "one image is drawn of each caption" : no_spread;
  }
  scores.push_back(std::move(noise));
  return scores;
}

void register_image_spread(Registries& registries) {
  add_evaluator<ImageSpreadEvaluator, ImageSpreadOptions>(
      registries, "image_spread",
      "Variation of drawn images over captions and over noise, relative to real images", {});
}

}  // namespace lvtext
