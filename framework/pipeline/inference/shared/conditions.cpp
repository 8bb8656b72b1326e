#include "framework/pipeline/inference/shared/conditions.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/decoding/drawing.h"

namespace lvtext {

std::vector<InputDecl> inputs_of_conditions() {
  return {model_input("generator of the images", {ImageGenerator::kName}),
          {.name = kEmbeddingsInput,
           .help = "data set with a column of vectors, such as the output of `encode`",
           .type = ArtifactType::kDataset,
           .by_default = reference("row.embeddings")}};
}

Conditions read_conditions(const Inputs& inputs, const ConditionsOptions& options) {
  auto& generator = inputs.serve<ImageGenerator>("model");
  VectorItems items =
      vector_items(inputs.dataset(kEmbeddingsInput), options.column, options.captions);
  if (items.values.size(0) == 0) {
    throw DataError("the column '" + options.column + "' has no vectors");
  }
  const int64_t width = items.values.size(1);
  if (width != generator.condition_size()) {
    throw ConfigError("the column '" + options.column + "' has vectors of width " +
                      std::to_string(width) + "; the generator was trained with width " +
                      std::to_string(generator.condition_size()));
  }
  const at::Tensor given = items.values.to(device_of(*inputs.model("model").model));
  return {.items = std::move(items), .generator = generator, .given = given};
}

InferredColumn condition_column(const Conditions& read, int64_t copies) {
  const at::Tensor conditions =
      read.generator.drawn_from(read.given).to(at::kCPU, at::kFloat).contiguous();
  if (!at::isfinite(conditions).all().item<bool>()) {
    throw DataError("a condition is not finite: the generator has diverged");
  }
  return read.items.column(
      {.name = kConditionColumn, .kind = ColumnKind::kVector, .shape = {conditions.size(1)}},
      conditions.repeat_interleave(copies, 0), copies);
}

}  // namespace lvtext
