// Nodes that train a model.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/stream_sources.h"
#include "framework/pipeline/store/initial_mapping.h"
#include "framework/pipeline/store/node_parts.h"
#include "trainers/metrics.h"
#include "trainers/options.h"

namespace lvtext {

/// One training: a model and its datasets.
struct Training {
  std::string name;  ///< name of the node
  Configured model;
  TrainOptions train;
  StreamSources train_data, valid_data;
  std::string config;  ///< resolved recipe, stored with checkpoints
  /// Number of sentences in the data of "train", for estimates; 0: unknown before they are packed.
  int64_t sentences = 0;
  bool own_data = false;  ///< a data block of its own, which is not prepared to time its steps
  /// A node with initial parameters that replace random ones (load_initial()).
  std::optional<NodePart> initial = {};
  InitialMapping mapping = {};  ///< mapping of its parameters to those of this model
  /// Models that fill the inputs of this one, by input.
  std::map<std::string, NodePart> models = {};

  /// The names of the inputs that models fill.
  std::vector<std::string> model_inputs() const {
    std::vector<std::string> names;
    for (const auto& [input, filling] : models) names.push_back(input);
    return names;
  }
};

/// Adds a training to the graph. `registries` must outlive the graph. The weights of
/// train.keep.checkpoints are parts of the node but not of its identity: a training that
/// has begun without them is refused. The columns of each side must have corresponding rows
/// (joined_rows()).
std::string add_training(Graph& graph, const Registries& registries, Training training);

/// "cpu" or "cuda": the device of a model's node, which nodes computed from it also use.
std::string device_of(const GraphNode& model);

/// The progress of a training as one line of text.
std::string progress_text(const TrainerState& state, const TrainerMetrics& metrics);

}  // namespace lvtext
