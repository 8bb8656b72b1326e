// Conditions of generated images, for `draw` and `conditions`.
#pragma once

#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/pipeline/inference/shared/vector_column.h"

namespace lvtext {

/// Name of the input with the embeddings.
inline constexpr const char* kEmbeddingsInput = "embeddings";
/// Name of the column of condition_column().
inline constexpr const char* kConditionColumn = "condition";

struct ConditionsOptions {
  std::string column = "embedding";
  OfRow captions = OfRow::kAll;

  template <class V>
  void visit(V& v) {
    v.field("column", column, "column of vectors that the generator was trained with", not_empty());
    v.field("captions", captions, "embeddings of a row that are used, if it has several captions");
  }
};

/// Embeddings, and the generator that reads them.
struct Conditions {
  VectorItems items;
  ImageGenerator& generator;
  at::Tensor given;  ///< the embeddings on the generator's device, [N, D]
};

/// The inputs `model` and `embeddings`.
std::vector<InputDecl> inputs_of_conditions();

/// Throws ConfigError if the generator reads vectors of another width, DataError if there are none,
/// and as vector_items() does.
Conditions read_conditions(const Inputs& inputs, const ConditionsOptions& options);

/// The column kConditionColumn, ImageGenerator::drawn_from(), with `copies` of each. Throws
/// DataError if a value is not finite.
InferredColumn condition_column(const Conditions& read, int64_t copies);

}  // namespace lvtext
