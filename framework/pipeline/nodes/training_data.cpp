#include "framework/pipeline/nodes/training_data.h"

#include <filesystem>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/model/dataset_loader.h"
#include "framework/core/tensor/philox.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/store/finished_data.h"

namespace lvtext {
namespace {

/// Returns the name of a training's input for a dataset of a side of a stream; `role` is "train" or
/// "valid".
std::string input_name(const std::string& role, const std::string& stream, size_t side,
                       size_t part) {
  std::string name = stream == "train" ? role : role + "." + stream;
  if (side > 0) name += "[" + std::to_string(side) + "]";
  if (part > 0) name += "+" + std::to_string(part);
  return name;
}

/// Number of records of a dataset whose texts have no token; 0 for generated text, whose empty
/// sentences count.
int64_t records_without_tokens(const std::filesystem::path& folder) {
  const FinishedRun run(folder);
  return run.metadata().is_object() ? run.metadata().value("without_tokens", int64_t{0}) : 0;
}

/// The rows that have a token.
Dataset with_tokens(const Dataset& data) {
  const std::vector<int64_t> lengths = data.lengths();
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < data.size(); ++row) {
    if (lengths[row] > 0) rows.push_back(row);
  }
  return data.select(rows);
}

}  // namespace

void add_inputs(GraphNode& node, const std::string& role, const StreamSources& sources) {
  for (const auto& [stream, source] : sources.streams) {
    for (size_t side = 0; side < source.sides.size(); ++side) {
      for (size_t part = 0; part < source.sides[side].size(); ++part) {
        node.inputs[input_name(role, stream, side, part)] = source.sides[side][part];
      }
    }
  }
}

void plan_joins(const Graph& graph, StreamSources& sources) {
  for (auto& [stream, source] : sources.streams) {
    source.of_parents.clear();
    for (const auto& parts : source.sides) {
      const JoinedRows joined = joined_rows(graph, {parts.begin(), parts.end()});
      LVT_ASSERT(!joined.unjoinable, "columns of different records in the stream '" + stream + "'");
      source.of_parents.push_back(joined.of_parents);
    }
  }
}

StreamData read_data(const NodeInputs& inputs, const std::string& role,
                     const StreamSources& sources, int64_t* removed) {
  StreamData data;
  for (const auto& [stream, source] : sources.streams) {
    for (size_t side = 0; side < source.sides.size(); ++side) {
      std::vector<Dataset> parts;
      int64_t empty = 0;
      for (size_t part = 0; part < source.sides[side].size(); ++part) {
        const auto& folder = inputs.at(input_name(role, stream, side, part));
        parts.push_back(read_dataset(folder));
        empty += records_without_tokens(folder);
      }
      const Dataset joined = Dataset::join(parts, source.of_parents.at(side));
      const bool is_filtered = role == "train" && empty > 0;
      data[stream].push_back(is_filtered ? with_tokens(joined) : joined);
      if (removed) *removed += joined.size() - data[stream].back().size();
    }
  }
  return data;
}

BatchOptions batch_options(const TrainOptions& train, Order order, int64_t seed) {
  const bool is_fixed = order == Order::kBucketed && train.batch.fixed.value_or(false);
  return {.order = is_fixed ? Order::kFixed : order,
          .size = train.batch.size,
          .max_tokens = train.batch.max_tokens,
          .seed = seed,
          .max_length = train.max_length.value_or(0),
          .drop_last = train.batch.drop_last.value_or(false)};
}

const std::vector<Dataset>& data_of(const StreamDecl& stream, const StreamData& data) {
  const std::string& name = stream.rows_of.empty() ? stream.name : stream.rows_of;
  const auto found = data.find(name);
  if (found != data.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [given, sides] : data) names.push_back(given);
  throw ConfigError("the model reads the stream '" + name + "', which has no data; streams " +
                    "with data: " + join(names));
}

DataLoaders training_streams(const Trainable& model, const StreamData& data,
                             const TrainOptions& train) {
  DataLoaders streams;
  for (const StreamDecl& stream : model.streams()) {
    const std::string key =
        stream.rows_of.empty() ? stream.name : stream.rows_of + "/" + stream.name;
    const int64_t seed = key == "train" ? train.seed : train.seed ^ noise_use(key);
    streams[stream.name] = std::make_shared<DatasetLoader>(
        data_of(stream, data), batch_options(train, stream.order, seed));
  }
  return streams;
}

DataLoaders validation_streams(const Trainable& model, const StreamData& data,
                               const TrainOptions& train) {
  BatchOptions options = batch_options(train, Order::kSequential, train.seed);
  options.max_length = 0;
  DataLoaders streams;
  if (data.empty()) return streams;  // no validation
  for (const StreamDecl& stream : model.streams()) {
    streams[stream.name] = std::make_shared<DatasetLoader>(data_of(stream, data), options);
  }
  return streams;
}

int64_t left_out(const StreamData& data, const TrainOptions& train) {
  int64_t count = 0;
  for (const Dataset& side : data.at("train")) {
    for (const int64_t length : side.lengths()) {
      count += train.max_length && length > *train.max_length ? 1 : 0;
    }
  }
  return count;
}

ModelInputs inputs_of(const StreamData& data, int64_t seed,
                      std::map<std::string, LoadedModel> models) {
  ModelInputs inputs{.seed = static_cast<uint64_t>(seed), .models = std::move(models)};
  for (const auto& [stream, sides] : data) inputs.streams[stream] = field_shapes(sides);
  return inputs;
}

}  // namespace lvtext
