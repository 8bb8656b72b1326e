// Weights of kept checkpoints that may be removed once they were scored (train.keep.until).
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/graph/graph.h"
#include "trainers/options.h"

namespace lvtext {

/// Files of the weights that a training keeps of a step, relative to its folder.
std::vector<std::string> weight_files(int64_t step);

/// Adds the weights of kept checkpoints to the outputs and facts of a training.
void list_kept(NodeRun& run, const KeepOptions& keep, const std::vector<int64_t>& steps);
/// The same of what the training has kept already; false if it lacks some of the weights.
bool list_kept_again(NodeRun& run, const KeepOptions& keep);
/// True if a finished training has what `keep` asks for: its weights, unless they may be removed.
bool has_kept(const nlohmann::ordered_json& manifest, const KeepOptions& keep);

/// True if a finished training says that the weights of a step were removed.
bool was_removed(const nlohmann::ordered_json& facts, int64_t step);
/// The steps whose weights may be removed from a finished training: those kept at a period until
/// they are scored, if something was computed at each of them and nothing among `readers`, the
/// folders of all nodes that have the training as an input, is unfinished; never the selected, last
/// and best ones. Throws MissingError or DamagedRun.
std::vector<int64_t> removable_steps(const std::filesystem::path& training,
                                     const std::vector<std::filesystem::path>& readers);
/// Removes the weights of a step from a finished training that this process owns. Its manifest, in
/// which they are not listed any more, says so.
void remove_weights(const std::filesystem::path& training, int64_t step);

}  // namespace lvtext
