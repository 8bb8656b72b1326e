// Inputs for building models in tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/model/model_inputs.h"

namespace lvtext::testing {

/// Special tokens with the same ids as in SentencePiece and Words.
inline Vocabulary usual_vocabulary(int64_t size) {
  return {.size = static_cast<int32_t>(size), .bos = 1, .eos = 2, .pad = 0, .unk = 3};
}

/// Shape of images, [C, S, S].
using ImageDims = std::vector<int64_t>;
inline const ImageDims kSmallImage = {1, 8, 8};

/// A stream "train" with texts of the fields that the registered models read, two labels, a vector
/// and an image; a stream "generated" with a vector and an image.
inline ModelInputs model_inputs(const Vocabulary& vocabulary, uint64_t seed, int32_t classes = 2,
                                const ImageDims& image = kSmallImage) {
  ModelInputs inputs{.seed = seed};
  auto& fields = inputs.streams["train"];
  for (const char* name : {"text", "text_0", "text_1", "premise", "hypothesis"}) {
    fields.push_back({.name = name, .vocabulary = vocabulary});
  }
  for (const char* name : {"label", "style"}) {
    fields.push_back({.name = name, .kind = ColumnKind::kLabel, .classes = classes});
  }
  fields.push_back({.name = "embedding", .kind = ColumnKind::kVector, .shape = {4}});
  fields.push_back({.name = "image", .kind = ColumnKind::kImage, .shape = image});
  inputs.streams["generated"] = {fields.end()[-2], fields.end()[-1]};
  return inputs;
}

inline ModelInputs model_inputs(int64_t vocabulary, uint64_t seed, int32_t classes = 2,
                                const ImageDims& image = kSmallImage) {
  return model_inputs(usual_vocabulary(vocabulary), seed, classes, image);
}

}  // namespace lvtext::testing
