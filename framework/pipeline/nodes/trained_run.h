// A training, read back with the text that surrounds it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/nodes/loaded_inputs.h"

namespace lvtext {

/// The name of the folder that a node's input had beside it, from its node.json. Throws
/// MissingError or DataError.
std::string input_name(const std::filesystem::path& node, const std::string& input_key);

/// The folder of a node's input, from its node.json: by its name beside the node, else by the hash
/// at the name's end. Throws MissingError if it is gone, DataError if node.json is damaged.
std::filesystem::path input_folder(const std::filesystem::path& node, const std::string& input_key);

/// The step whose weights `which` asks of a finished training: "last", "best:METRIC" (the lowest
/// validation value in the log: "objective", or a loss term such as "vae/rec" or "rec"), or
/// "step:N"; none for "", which stands for what its recipe selected. Throws UsageError for
/// anything else, MissingError with the nearest kept steps if those weights are not kept.
std::optional<int64_t> checkpoint_step(const std::filesystem::path& training,
                                       const std::string& which);

struct TrainedRun {
  std::filesystem::path folder;
  std::string identity;
  int64_t seed = 0;
  LoadedModel model;
  bool finished = true;  ///< else the weights are those of a checkpoint
};

/// Reads a training with the weights of `checkpoint` (see checkpoint_step) onto `device`. One that
/// is not finished has the weights of its checkpoints alone: "" and "last" are the newest one, and
/// best:METRIC is refused; the process that trains it is not disturbed.
/// `registries` must hold its model. Throws what read_model and input_folder throw.
TrainedRun read_trained_run(const std::filesystem::path& folder, const Registries& registries,
                            const std::string& checkpoint = "", const std::string& device = "cpu");

/// A split of the training's data: "train" (what it was trained on), "valid" or "test". Throws
/// MissingError if the nodes that hold it are gone.
Text split_of_run(const TrainedRun& run, const std::string& split);

}  // namespace lvtext
