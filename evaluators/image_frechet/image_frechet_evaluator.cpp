#include "evaluators/image_frechet/image_frechet_evaluator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "evaluators/frechet/frechet_distance.h"
#include "evaluators/frechet/frechet_evaluator.h"
#include "evaluators/image_columns.h"
#include "evaluators/image_frechet/kernel_distance.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// The 15 features of images [N, 1, S, S], [N, 15].
at::Tensor chest_vectors(const at::Tensor& images, const std::string& input) {
  at::Tensor vectors = at::empty({images.size(0), ChestFeatures().size()}, at::kDouble);
  for (int64_t i = 0; i < images.size(0); ++i) {
    const ChestFeatures features = chest_features_of(images[i], input);
    std::copy(features.begin(), features.end(),
              vectors.mutable_data_ptr<double>() + i * vectors.size(1));
  }
  return vectors;
}

/// Of batches of at most `batch` images that differ in size by one at most: a short one at the end
/// would have statistics of its own.
at::Tensor model_vectors(ImageFeatures& model, const at::Tensor& images, int64_t batch) {
  std::vector<at::Tensor> vectors;
  for (const at::Tensor& part : images.tensor_split((images.size(0) + batch - 1) / batch)) {
    vectors.push_back(model.image_features(part).to(at::kCPU, at::kDouble));
  }
  return at::cat(vectors);
}

}  // namespace

std::vector<InputDecl> ImageFrechetEvaluator::inputs() const {
  std::vector<InputDecl> inputs = {
      {.name = "drawn",
       .help = "drawn images, in the column image",
       .type = ArtifactType::kDataset,
       .by_default = reference("row.drawn")},
      {.name = "real", .help = "real images, in the column image", .type = ArtifactType::kDataset},
      {.name = "others",
       .help = "other real images, whose distance is a floor",
       .type = ArtifactType::kDataset,
       .arity = InputDecl::Arity::kOptional}};
  if (options_.features == ImageVectors::kModel) {
    inputs.push_back({.name = "model",
                      .help = "model whose vectors are compared",
                      .type = ArtifactType::kModel,
                      .capabilities = {ImageFeatures::kName}});
  }
  return inputs;
}

std::vector<Score> ImageFrechetEvaluator::evaluate(const Inputs& inputs) const {
  const Dataset drawn = inputs.dataset("drawn"), real = inputs.dataset("real");
  std::optional<Dataset> others;
  if (inputs.has("others")) others = inputs.dataset("others");
  const int64_t n = std::min(
      {options_.images, drawn.size(), real.size(), others ? others->size() : options_.images});
  if (n < 2) {
    throw DataError("a Fréchet distance requires at least two images on each side; there are " +
                    format_count(drawn.size(), "drawn image") + " and " +
                    format_count(real.size(), "real one") +
                    (others ? ", and " + format_count(others->size(), "other real one") : ""));
  }
  std::string name = "frechet_synthcxr", features = "features:synthcxr";
  std::vector<std::string> notes;
  ImageFeatures* model = nullptr;
  if (options_.features == ImageVectors::kModel) {
    const LoadedModel& loaded = inputs.model("model");
    model = &inputs.serve<ImageFeatures>("model");
    name = "frechet_" + loaded.component;
    features = "features:" + loaded.component + "|batch:" + std::to_string(options_.batch) +
               "|weights:" + loaded.identity;
    // A distance of its vectors is not comparable with that of another training's.
    if (!loaded.published) notes = {"vectors of '" + loaded.component + "', trained here"};
  }
  const auto vectors = [&](const Dataset& dataset, const std::string& input) {
    const at::Tensor images = first_images(dataset, input, n);
    return model ? model_vectors(*model, images, options_.batch) : chest_vectors(images, input);
  };
  const at::Tensor of_real = vectors(real, "real"), of_drawn = vectors(drawn, "drawn");
  std::vector<Score> scores = frechet_scores(name, features, of_drawn, of_real, "images");
  for (Score& score : scores) score.comparable = false;  // with distances of published features
  // No intervals, as in frechet_scores().
  const auto add = [&](const std::string& id, Direction direction, double value) {
    scores.push_back({.id = id,
                      .value = value,
                      .reason = std::isnan(value) ? "there are no other real images" : "",
                      .direction = direction,
                      .n = n,
                      .signature = "image_" + features + "|n_images:" + std::to_string(n) + "|" +
                                   id + "|version:" + std::to_string(kRevision)});
  };
  const at::Tensor of_others = others ? vectors(*others, "others") : at::Tensor();
  add("kernel", Direction::kLower, kernel_distance(of_drawn, of_real));
  add("other_frechet", Direction::kNone,
      others ? frechet_distance(of_others, of_real).squared() : std::nan(""));
  add("other_kernel", Direction::kNone,
      others ? kernel_distance(of_others, of_real) : std::nan(""));
  for (Score& score : scores) score.notes = notes;
  return scores;
}

void register_image_frechet(Registries& registries) {
  add_evaluator<ImageFrechetEvaluator, ImageFrechetOptions>(
      registries, "image_frechet",
      "Fréchet and kernel distance between drawn and real images, as vectors of features",
      {"Heusel, Ramsauer, Unterthiner, Nessler and Hochreiter 2017",
       "https://arxiv.org/abs/1706.08500"});
}

}  // namespace lvtext
