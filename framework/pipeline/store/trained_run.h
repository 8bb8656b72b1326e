// Loads a trained model with its tokenizer and data.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/store/loaded_inputs.h"

namespace lvtext {

/// The folder name of a node's input, from its node.json. Throws MissingError or DataError.
std::string input_name(const std::filesystem::path& node, const std::string& input_key);

/// The folder of a node's input, from its node.json: the sibling folder of that name, else the one
/// with the same hash at the end of its name. Throws MissingError if there is none, DataError if
/// node.json is damaged.
std::filesystem::path input_folder(const std::filesystem::path& node, const std::string& input_key);

/// The folder of the tokenizer of a model's text, for a training, a fit or an import. Throws
/// MissingError.
std::filesystem::path recorded_tokenizer(const std::filesystem::path& node);

/// The step that `which` selects in a finished training: "last", "best:METRIC" (the lowest
/// validation value in the log: "objective", or a loss term such as "vae/rec" or "rec"), or
/// "step:N"; none for "", the weights selected by the recipe. Throws UsageError for other values,
/// MissingError with the nearest kept steps if those weights are not kept.
std::optional<int64_t> checkpoint_step(const std::filesystem::path& training,
                                       const std::string& which);

struct TrainedRun {
  std::filesystem::path folder;
  std::string identity;
  int64_t seed = 0;
  LoadedModel model;
  bool finished = true;  ///< false: the weights are those of a checkpoint
};

/// Loads a training, or an exported or imported model (exported_model.h), with the weights of
/// `checkpoint` (see checkpoint_step) onto `device`. An unfinished training has only the weights of
/// its checkpoints: "" and "last" select the newest one, best:METRIC is rejected; a process that
/// trains it is not affected. `registries` must contain its model. Throws the exceptions of
/// read_model() and input_folder().
TrainedRun read_trained_run(const std::filesystem::path& folder, const Registries& registries,
                            const std::string& checkpoint = "", const std::string& device = "cpu");

/// Names of the styles of a style transfer model that was trained on zipped data sets, one per
/// style: the values of the column by which the sets were selected (`where`), in the order of the
/// sets. Empty if they were not selected by different values of one column, or their nodes cannot
/// be read.
std::vector<std::string> style_names(const std::filesystem::path& training);

/// A split of the training's data: "train" (its training data), "valid" or "test". Throws
/// MissingError if its nodes no longer exist.
Text split_of_run(const TrainedRun& run, const std::string& split);

}  // namespace lvtext
