// An evaluator's input "encoder": vectors of sentences.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "evaluators/evaluator.h"

namespace lvtext {

/// The input "encoder": a model that is an Encoder or a SentenceEmbedder; by default the row's.
InputDecl encoder_input();

/// Its vectors of texts, [N, E] float on the CPU: posterior means of an Encoder. Encodes `batch`
/// sentences together. Throws DataError for values that are not finite.
at::Tensor encoder_vectors(const Inputs& inputs, const std::vector<std::string>& texts,
                           int64_t batch);

/// Its part of a score's signature: "|model:infersent|weights:1f2e3d4c|pool:exact".
std::string encoder_signature(const Inputs& inputs);

}  // namespace lvtext
