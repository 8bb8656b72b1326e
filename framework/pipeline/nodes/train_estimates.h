// What a training will take: tokens, updates, parameters, measured steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/train_nodes.h"

namespace lvtext {

/// Estimates the number of target tokens of a whole training on `sentences` sentences like those of
/// the dataset in `folder` (0: on the dataset); none if its length is specified in wall-clock time.
std::optional<double> planned_tokens(const std::filesystem::path& folder, const TrainOptions& train,
                                     int64_t sentences);

/// Returns the number of parameters of a training's model on the dataset in `folder`; none for a
/// model that reads other fields or models.
std::optional<double> parameter_count(const Training& training,
                                      const std::filesystem::path& folder);

/// Measures single steps after the first; returns their median, with memory and disk.
Measure measure_steps(const Training& training, const NodeInputs& inputs);

/// Returns the planned updates of a training on its finished inputs; none for a stop in wall-clock
/// time.
std::optional<int64_t> planned_updates(const Training& training, const Registries& registries,
                                       const NodeInputs& inputs,
                                       const std::map<std::string, std::string>& parts);

}  // namespace lvtext
