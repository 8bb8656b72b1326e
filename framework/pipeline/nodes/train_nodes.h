// Nodes that train a model.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/data/records.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/node_parts.h"
#include "framework/pipeline/nodes/stream_sources.h"
#include "trainers/metrics.h"
#include "trainers/options.h"

namespace lvtext {

/// Prefix of the subfolder in which a finished training is repeated for weights that it did not
/// keep; the interval follows.
inline constexpr const char* kAgainPrefix = "again-";

/// One training: a model and its datasets.
struct Training {
  std::string name;  ///< name of the node
  Configured model;
  TrainOptions train;
  StreamSources train_data, valid_data;
  std::string config;  ///< resolved recipe, stored with checkpoints
  /// Number of sentences in the data of "train", for estimates; 0: unknown before they are packed.
  int64_t sentences = 0;
  bool own_data = false;  ///< data other than the recipe's text: no cost estimate from its dataset
  /// A node with initial parameters that replace random ones (load_initial()). `rename` maps names
  /// of its parameters to names in this model.
  std::optional<NodePart> initial = {};
  std::map<std::string, std::string> rename = {};
  /// Models that fill the inputs of this one, by input.
  std::map<std::string, NodePart> models = {};
};

/// Adds a training to the graph. `registries` must outlive the graph. The weights of
/// train.keep.checkpoints are parts of the node but not of its identity: a finished training that
/// did not keep them is repeated for them. The columns of each side must have corresponding rows
/// (joined_rows()).
std::string add_training(Graph& graph, const Registries& registries, Training training);

/// The records of a training's stream, described before they are packed.
struct StreamRecords {
  std::string source;                       ///< name in messages: "the data set 'nli'"
  std::vector<std::vector<Records>> sides;  ///< [side][part], without rows (StreamSource)
};

/// A field that a model reads and its data lack.
struct FieldMistake {
  std::string message, hint;
};

/// Checks that a model can be built from records with these fields, by stream, and reads no others,
/// without allocating its parameters. Models with other models as inputs are checked when they are
/// trained.
std::vector<FieldMistake> field_mistakes(const Configured& model,
                                         const std::map<std::string, StreamRecords>& streams);

/// Planned updates of a training on this dataset; none for a stop in wall-clock time.
std::optional<int64_t> planned_updates(const Configured& model, const TrainOptions& train,
                                       const std::filesystem::path& folder);

/// "cpu" or "cuda": the device of a model's node, which nodes computed from it also use.
std::string device_of(const GraphNode& model);

/// The progress of a training as one line of text.
std::string progress_text(const TrainerState& state, const TrainerMetrics& metrics);

}  // namespace lvtext
