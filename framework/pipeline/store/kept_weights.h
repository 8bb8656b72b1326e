// Kept and removed weights of finished runs: weights of kept checkpoints can be removed after
// scoring (train.keep.until), and all weights can be left out of an export.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"
#include "trainers/options.h"

namespace lvtext {

/// Folder of all kept weights of a run, as prefix of file names.
inline constexpr const char* kWeightsFolder = "snapshots/";
/// Files of a training's kept weights at a step, relative to its folder.
std::vector<std::string> weight_files(int64_t step);

/// Adds the weights of kept checkpoints to the outputs and metadata of a training.
void list_kept(NodeRun& run, const KeepOptions& keep, const std::vector<int64_t>& steps);
/// The same for weights that the training has already; false if some are missing.
bool list_kept_again(NodeRun& run, const KeepOptions& keep);
/// True if a finished training has the weights that `keep` requires, or they may be removed.
bool has_kept(const nlohmann::ordered_json& manifest, const KeepOptions& keep);

/// True if the weights of a step were removed, according to the training's metadata.
bool was_removed(const nlohmann::ordered_json& metadata, int64_t step);
/// True if a finished run was exported without its selected weights.
bool is_without_weights(const nlohmann::ordered_json& metadata);
/// Removes all weights from a finished run's manifest and marks their steps as removed.
void leave_out_weights(nlohmann::ordered_json& manifest);
/// The steps whose weights may be removed from a finished training: those kept until they are
/// scored, if results were computed at each of them and no node among `readers` (the folders of all
/// nodes with the training as an input) is unfinished; never the selected, last and best steps.
/// Throws MissingError or DamagedRun.
std::vector<int64_t> removable_steps(const std::filesystem::path& training,
                                     const std::vector<std::filesystem::path>& readers);
/// Removes the weights of a step from a finished training that this process owns, and records it in
/// the manifest.
void remove_weights(const std::filesystem::path& training, int64_t step);

}  // namespace lvtext
