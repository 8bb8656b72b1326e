// The data of a training, as nodes and as batches.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/core/model/data_loader.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/stream_sources.h"
#include "trainers/options.h"

namespace lvtext {

/// Data of a training: the joined dataset of each side, by stream.
using StreamData = std::map<std::string, std::vector<Dataset>>;

/// Adds the datasets of a side ("train" or "valid") to the inputs of a node.
void add_inputs(GraphNode& node, const std::string& role, const StreamSources& sources);
/// Sets how the parts of each side are joined. Precondition: they can be joined.
void plan_joins(const Graph& graph, StreamSources& sources);

/// Reads the datasets of `role`. Training examples without a token in any of their joined columns
/// are removed, and added to `removed` if it is not null.
StreamData read_data(const NodeInputs& inputs, const std::string& role,
                     const StreamSources& sources, int64_t* removed = nullptr);

/// Returns the order and the limits of a training's batches.
BatchOptions batch_options(const TrainOptions& train, Order order, int64_t seed);
/// Returns the datasets of a stream that a model declares. Throws ConfigError if it has no data.
const std::vector<Dataset>& data_of(const StreamDecl& stream, const StreamData& data);
/// Returns the training streams of a model. A stream that uses the rows of another stream is
/// shuffled independently and does not count toward epochs.
DataLoaders training_streams(const Trainable& model, const StreamData& data,
                             const TrainOptions& train);
/// Returns the same streams for the validation data, so that every phase is validated, in document
/// order and without max_length, which applies to training only.
DataLoaders validation_streams(const Trainable& model, const StreamData& data,
                               const TrainOptions& train);
/// Returns the number of sentences of the stream "train" that exceed max_length.
int64_t left_out(const StreamData& data, const TrainOptions& train);
/// Returns the inputs for constructing a model that reads these data.
ModelInputs inputs_of(const StreamData& data, int64_t seed,
                      std::map<std::string, LoadedModel> models = {});

}  // namespace lvtext
