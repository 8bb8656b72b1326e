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
#include "framework/pipeline/nodes/initial_mapping.h"
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
  bool own_data = false;  ///< a data block of its own, which is not prepared to time its steps
  /// A node with initial parameters that replace random ones (load_initial()).
  std::optional<NodePart> initial = {};
  InitialMapping mapping = {};  ///< of its parameters to those of this model
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

/// A field that a model reads and its data lack, or an option that does not match them.
struct FieldMistake {
  std::string message, hint;
};

/// A model that will fill an input, and the records that it is trained on, by stream.
struct GivenModel {
  Configured model;
  std::map<std::string, StreamRecords> streams;
};

/// Checks that a model can be built from records with these fields, by stream, reads no others, and
/// can be trained with `train`, without allocating its parameters. `given`: by input; a model with
/// other inputs is checked when it is trained.
std::vector<FieldMistake> field_mistakes(const Configured& model, const TrainOptions& train,
                                         const std::map<std::string, StreamRecords>& streams,
                                         const std::map<std::string, GivenModel>& given = {});

/// "cpu" or "cuda": the device of a model's node, which nodes computed from it also use.
std::string device_of(const GraphNode& model);

/// The progress of a training as one line of text.
std::string progress_text(const TrainerState& state, const TrainerMetrics& metrics);

}  // namespace lvtext
