// Nodes that train a model, and trained models read back.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/node_parts.h"
#include "framework/pipeline/nodes/stream_sources.h"
#include "trainers/metrics.h"
#include "trainers/options.h"

namespace lvtext {

/// A folder below a finished training in which it is trained once more for weights that it did not
/// keep begins with this; how often they are kept follows.
inline constexpr const char* kAgainPrefix = "again-";

/// One training: which model on which datasets.
struct Training {
  std::string name;  ///< of the node
  Configured model;
  TrainOptions train;
  StreamSources train_data, valid_data;
  std::string config;  ///< resolved recipe, stored with checkpoints
  /// That the data of "train" will hold, for estimates; 0: not known before they are there.
  int64_t sentences = 0;
  bool own_data = false;  ///< not text like the recipe's, whose datasets say nothing of the cost
  /// A node with initial parameters in place of some that the seed gives (load_initial()).
  /// `rename` gives parameters of that node the names of this model's.
  std::optional<NodePart> initial = {};
  std::map<std::string, std::string> rename = {};
  /// The models that fill the inputs that this one declares, by the inputs' names.
  std::map<std::string, NodePart> models = {};
};

/// Adds it. `registries` must outlive the graph. The weights of train.keep.checkpoints are parts of
/// the node, outside its identity: a finished training that did not keep them is trained once more
/// for them. The columns of each side must have rows that belong together (joined_rows()).
std::string add_training(Graph& graph, const Registries& registries, Training training);

/// Updates that a training on this dataset plans; none where its length is given in time.
std::optional<int64_t> planned_updates(const Configured& model, const TrainOptions& train,
                                       const std::filesystem::path& folder);

/// "cpu" or "cuda": where the node of a model computes, and so what is made of it.
std::string device_of(const GraphNode& model);

/// What training progress looks like on one line.
std::string progress_text(const TrainerState& state, const TrainerMetrics& metrics);

}  // namespace lvtext
