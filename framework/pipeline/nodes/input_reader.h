// Reads the inputs of components from the nodes that fill them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/core/model/inputs.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/nodes/filled_inputs.h"

namespace lvtext {

/// Plan of one input of a component node.
struct PlannedInput {
  std::string input_key, name;
  ArtifactType type;
  std::string typical;      ///< a node of this kind, for estimates
  std::string column;       ///< for a dataset: the column to read
  std::string device;       ///< device of a model
  bool of_parents = false;  ///< for several datasets: JoinedRows::of_parents
};

/// Adds the inputs, the tokenizers of their texts, datasets and models, and the records of their
/// texts to the node.
std::vector<PlannedInput> plan_inputs(const Graph& graph, GraphNode& node,
                                      const std::vector<InputDecl>& declared,
                                      const FilledInputs& filled);

/// Adds the nodes of the scores to the inputs, as "x[metric,line].score#line of the score": shape,
/// order and selected scores are part of the node's identity. The result has the keys of these
/// inputs in place of nodes.
FilledScoreInputs plan_scores(const Graph& graph, GraphNode& node, FilledScoreInputs filled);

/// Adds planned scores to the inputs of a component. `step`: checkpoint of scores that are read at
/// each checkpoint.
void add_scores(const NodeInputs& folders, const std::map<std::string, std::string>& parts,
                const FilledScoreInputs& planned, std::optional<int64_t> step, Inputs& to);

/// Reads the inputs of a node. Values that do not depend on the kept checkpoint are read once.
class InputReader {
 public:
  /// All arguments must outlive it.
  InputReader(const Registries& registries, const std::vector<PlannedInput>& planned,
              const NodeInputs& folders, const std::map<std::string, std::string>& parts)
      : registries_(registries), planned_(planned), folders_(folders), parts_(parts) {}

  /// `step`: checkpoint of inputs that are read at each checkpoint.
  Inputs read(std::optional<int64_t> step = std::nullopt);
  /// Parents of the rows of an input (a text or dataset of derived data); otherwise empty.
  std::vector<int64_t> parents(const std::string& input,
                               std::optional<int64_t> step = std::nullopt) const;

 private:
  /// The folder of a planned input; for a kept checkpoint, that of its part.
  std::filesystem::path folder_of(const PlannedInput& input, std::optional<int64_t> step) const;
  template <class Value>
  const Value& once(std::map<std::string, Value>& known, const PlannedInput& input,
                    Value (InputReader::*read)(const PlannedInput&, std::optional<int64_t>));
  Text text(const PlannedInput& input, std::optional<int64_t> step);
  /// Reads the texts of a column of an input. The result may outlive the reader.
  Inputs::ColumnReader columns(const PlannedInput& input, std::optional<int64_t> step);
  LoadedModel model(const PlannedInput& input, std::optional<int64_t> step);
  std::map<std::string, at::Tensor> tensors(const PlannedInput& input, std::optional<int64_t> step);
  Dataset dataset(const PlannedInput& input, std::optional<int64_t> step);
  std::shared_ptr<const Tokenizer> tokenizer(const PlannedInput& input,
                                             std::optional<int64_t> step);

  const Registries& registries_;
  const std::vector<PlannedInput>& planned_;
  const NodeInputs& folders_;
  const std::map<std::string, std::string>& parts_;
  std::map<std::filesystem::path, std::shared_ptr<const Tokenizer>> tokenizers_;
  std::map<std::string, Text> texts_;
  std::map<std::string, LoadedModel> models_;
  std::map<std::string, std::map<std::string, at::Tensor>> tensors_;
  std::map<std::string, Dataset> datasets_;
};

/// Reads the inputs of a component that is not run by a node from finished nodes. `step`:
/// checkpoint of results that were computed at each checkpoint. Throws MissingError if a node is
/// not finished.
Inputs read_filled(const Graph& graph, const GraphStatus& status, const Registries& registries,
                   const std::vector<InputDecl>& declared, const FilledInputs& filled,
                   const FilledScoreInputs& scores = {},
                   std::optional<int64_t> step = std::nullopt);

}  // namespace lvtext
