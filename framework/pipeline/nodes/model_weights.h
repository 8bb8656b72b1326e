// Weights of models as files of nodes: what a training begins with, and what a model leaves that
// was not trained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/checkpoint/safetensors.h"
#include "framework/core/model/trainable.h"
#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// Where a node keeps initial parameters for trainings, by their names in checkpoints.
inline constexpr const char* kInitialFile = "initial.safetensors";
/// The parameter that given word vectors replace, [V, E].
inline constexpr const char* kWordVectors = "words.weight";

/// Replaces the initial parameters whose names the finished node `folder` has, by the tensors of
/// its kInitialFile or else by its selected weights, or those of `step`, after renaming these;
/// returns the names.
/// Throws DataError if it has none of them, if one has another shape, or if `rename` names none of
/// its tensors.
std::vector<std::string> load_initial(Trainable& model, const std::filesystem::path& folder,
                                      const std::map<std::string, std::string>& rename = {},
                                      std::optional<int64_t> step = std::nullopt);

/// Writes the weights of a model that was not trained as a training of no updates leaves them, and
/// lists them among the node's outputs.
void save_weights(NodeRun& run, TensorMap weights);

}  // namespace lvtext
