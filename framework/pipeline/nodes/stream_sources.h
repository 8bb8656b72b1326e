// Where the batches of a training come from: its `data:` as recipes write it, and as nodes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/model/stream_decl.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"

namespace lvtext {

/// Where the examples of a stream come from: names of nodes that leave datasets. The columns of one
/// side are joined row by row; sides, whose rows do not belong together, are put side by side
/// (DatasetLoader).
struct StreamSource {
  std::vector<std::vector<std::string>> sides;
  /// By side and part: see JoinedRows::of_parents; set when the training is added.
  std::vector<std::vector<bool>> of_parents = {};
};

/// The sources of a training's streams, by the names of the streams.
struct StreamSources {
  std::map<std::string, StreamSource> streams;

  /// The dataset of one node, for a model that reads the stream "train" alone.
  StreamSources(const std::string& node)
      : streams{{"train", {.sides = {{node}}}}} {}  // NOLINT: as in YAML
  explicit StreamSources(std::map<std::string, StreamSource> by_stream)
      : streams(std::move(by_stream)) {}
};

/// The references that a training's data consist of, by stream, side and part (StreamSource).
using StreamReferences = std::map<std::string, std::vector<std::vector<Node>>>;

/// Reads `data:`, which stands at `path`: a source of the stream "train", or a source for each
/// stream by its name. A source is a reference, a list of references, whose columns are joined row
/// by row, or {zip: [source, source, ...]} of two or more of these, which are put side by side.
/// Every mistake goes to the errors. What the references name is not looked at.
StreamReferences read_stream_references(const Node& data, Errors& errors, const std::string& path);

/// Reports streams that the model does not read, and at `mark` those that it reads and that have no
/// data. DataLoaders of another one's rows need none.
void check_streams(const StreamReferences& references, const std::vector<StreamDecl>& declared,
                   const SourceLocation& location, Errors& errors, const std::string& path);

/// The same with nodes in place of references: `node_of` gives the name of the node that leaves the
/// dataset of a reference.
StreamSources stream_sources(const StreamReferences& references,
                             const std::function<std::string(const Node& reference)>& node_of);

}  // namespace lvtext
