// Weights that a finished run has no more: those of kept checkpoints that were removed once they
// were scored (train.keep.until), and all of a run that was exported without them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"
#include "trainers/options.h"

namespace lvtext {

/// The folder of all weights that a run keeps, in names of its files.
inline constexpr const char* kWeightsFolder = "snapshots/";
/// Files of the weights that a training keeps of a step, relative to its folder.
std::vector<std::string> weight_files(int64_t step);

/// Adds the weights of kept checkpoints to the outputs and facts of a training.
void list_kept(NodeRun& run, const KeepOptions& keep, const std::vector<int64_t>& steps);
/// The same of what the training has kept already; false if it lacks some of the weights.
bool list_kept_again(NodeRun& run, const KeepOptions& keep);
/// True if a finished training has what `keep` asks for: its weights, unless they may be removed.
bool has_kept(const nlohmann::ordered_json& manifest, const KeepOptions& keep);

/// True if a finished training says that the weights of a step were removed.
bool was_removed(const nlohmann::ordered_json& metadata, int64_t step);
/// True if a finished run is known without its weights: those that its recipe selected were left
/// out when it was exported.
bool is_without_weights(const nlohmann::ordered_json& metadata);
/// Leaves all weights out of a finished run's manifest: they are not listed, and their steps count
/// as removed.
void leave_out_weights(nlohmann::ordered_json& manifest);
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
