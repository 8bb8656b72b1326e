// Nodes with the data of a training, by stream.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lvtext {

/// Source of the examples of a stream: names of nodes with datasets. Columns of one side are joined
/// row by row; sides, whose rows are independent, are combined by DatasetLoader.
struct StreamSource {
  std::vector<std::vector<std::string>> sides;
  /// [side][part]: see JoinedRows::of_parents; set when the training is added.
  std::vector<std::vector<bool>> of_parents = {};
};

/// The sources of a training's streams, by name.
struct StreamSources {
  std::map<std::string, StreamSource> streams;

  /// The dataset of one node, for a model with the single stream "train".
  StreamSources(const std::string& node)
      : streams{{"train", {.sides = {{node}}}}} {}  // NOLINT: as in YAML
  explicit StreamSources(std::map<std::string, StreamSource> by_stream)
      : streams(std::move(by_stream)) {}
};

}  // namespace lvtext
