// Weights of models as files of nodes: initial weights of trainings, and weights of models that are
// not trained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/checkpoint/safetensors.h"
#include "framework/core/model/published.h"
#include "framework/core/model/trainable.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/store/initial_mapping.h"

namespace lvtext {

/// File of a node with initial parameters for trainings, by their names in checkpoints.
inline constexpr const char* kInitialFile = "initial.safetensors";
/// The parameter that pretrained word vectors replace, [V, E].
inline constexpr const char* kWordVectors = "words.weight";

/// Replaces initial parameters by the tensors of the same names in the finished node `folder`:
/// those of its kInitialFile, otherwise its selected weights or those of `step`, after renaming.
/// Returns the names. Throws DataError if no name matches, if a shape differs, or if `mapping`
/// renames a tensor that the node lacks.
std::vector<std::string> load_initial(Trainable& model, const std::filesystem::path& folder,
                                      const InitialMapping& mapping = {},
                                      std::optional<int64_t> step = std::nullopt);

/// Loads the parameters of a model from a published safetensors file: tensors of the same names, or
/// of the names that a Published model gives; all except those in `given`. Throws one DataError
/// that lists all tensors that are missing or do not fit.
void load_published(Trainable& model, const std::filesystem::path& file,
                    const std::vector<std::string>& given = {});

/// The tensors of a file in the form of the model's authors as tensors `requested` of the model.
/// Throws one DataError that names `file` and lists all tensors that are missing or do not fit.
TensorMap from_published(const Published& model, const TensorMap& requested, TensorMap source,
                         const std::filesystem::path& file);
/// The reverse: tensors of the model in that form, without a prefix.
TensorMap to_published(const Published& model, const TensorMap& tensors);

/// Writes the weights of a model that is not trained in the form of a training with 0 updates, and
/// lists them in the node's outputs.
void save_weights(NodeRun& run, TensorMap weights);

}  // namespace lvtext
