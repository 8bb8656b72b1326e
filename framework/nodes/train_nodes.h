// Nodes that train a model, and trained models read back.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/checkpoint/safetensors.h"
#include "framework/graph/executor.h"
#include "framework/graph/graph.h"
#include "framework/model/registries.h"
#include "framework/nodes/node_parts.h"
#include "trainers/options.h"

namespace lvtext {

/// Where a node keeps initial parameters for trainings, by their names in checkpoints.
inline constexpr const char* kInitialFile = "initial.safetensors";
/// The parameter that given word vectors replace, [V, E].
inline constexpr const char* kWordVectors = "words.weight";

/// A folder below a finished training in which it is trained once more for weights that it did not
/// keep begins with this; how often they are kept follows.
inline constexpr const char* kAgainPrefix = "again-";

/// Where the examples of a stream come from: names of nodes that leave datasets. The columns of one
/// side are joined row by row; sides, whose rows do not belong together, are put side by side
/// (DatasetStream).
struct StreamSource {
  std::vector<std::vector<std::string>> sides;
};

/// The sources of a training's streams, by the names of the streams.
struct StreamSources {
  std::map<std::string, StreamSource> streams;

  /// The dataset of one node, for a model that reads the stream "train" alone.
  StreamSources(const std::string& node) : streams{{"train", {{{node}}}}} {}  // NOLINT: as in YAML
  explicit StreamSources(std::map<std::string, StreamSource> by_stream)
      : streams(std::move(by_stream)) {}
};

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
/// for them.
std::string add_training(Graph& graph, const Registries& registries, const Training& training);

/// Replaces the initial parameters whose names the finished node `folder` has, by the tensors of
/// its kInitialFile or else by its selected weights, or those of `step`, after renaming these;
/// returns the names.
/// Throws DataError if it has none of them, if one has another shape, or if `rename` names none of
/// its tensors.
std::vector<std::string> load_initial(Trainable& model, const std::filesystem::path& folder,
                                      const std::map<std::string, std::string>& rename = {},
                                      std::optional<int64_t> step = std::nullopt);

/// Updates that a training on this dataset plans; none where its length is given in time.
std::optional<int64_t> planned_updates(const Configured& model, const TrainOptions& train,
                                       const std::filesystem::path& folder);

/// Writes the weights of a model that was not trained as a training of no updates leaves them, and
/// lists them among the node's outputs.
void save_weights(NodeRun& run, TensorMap weights);

/// "cpu" or "cuda": where the node of a model computes, and so what is made of it.
std::string device_of(const GraphNode& model);

/// What training progress looks like on one line.
std::string progress_text(const struct TrainProgress& progress);

}  // namespace lvtext
