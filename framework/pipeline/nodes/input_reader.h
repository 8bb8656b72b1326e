// The inputs of components, from the nodes that fill them to what a component is given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/data/dataset.h"
#include "framework/core/model/inputs.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/nodes/filled_inputs.h"

namespace lvtext {

/// What a component node needs to know of one of its inputs.
struct PlannedInput {
  std::string input_key, name;
  ArtifactType type;
  std::string typical;      ///< a node of its kind
  std::string column;       ///< of a dataset: the one that is read
  std::string device;       ///< where a model computes
  bool of_parents = false;  ///< of several datasets: JoinedRows::of_parents
};

/// Adds the inputs to the node and the tokenizers of their texts and models beside them.
std::vector<PlannedInput> plan_inputs(const Graph& graph, GraphNode& node,
                                      const std::vector<InputDecl>& declared,
                                      const FilledInputs& filled);

/// Adds the nodes of the scores to the inputs, as "x[metric,line].score#line of the score": shape,
/// order and which scores are meant are part of the node's identity. What is given back names these
/// inputs instead of nodes.
FilledScoreInputs plan_scores(const Graph& graph, GraphNode& node, FilledScoreInputs filled);

/// Adds planned scores to the inputs of a component. `step`: the checkpoint of the scores that are
/// read at each of them.
void add_scores(const NodeInputs& folders, const std::map<std::string, std::string>& parts,
                const FilledScoreInputs& planned, std::optional<int64_t> step, Inputs& to);

/// What a component is given of a text: ids and their lines, or the lines as they were before any
/// tokenizer.
enum class TextForm { kIds, kLines };

/// Reads what fills the inputs of a node. What does not change from one kept checkpoint to the next
/// is read once.
class InputReader {
 public:
  /// All arguments must outlive it.
  InputReader(const Registries& registries, const std::vector<PlannedInput>& planned,
              const NodeInputs& folders, const std::map<std::string, std::string>& parts,
              TextForm form = TextForm::kIds)
      : registries_(registries), planned_(planned), folders_(folders), parts_(parts), form_(form) {}

  /// `step`: the checkpoint of the inputs that are read at each of them.
  Inputs read(std::optional<int64_t> step = std::nullopt);
  /// Of the rows of an input, a text or a dataset of derived data, their parents; else empty.
  std::vector<int64_t> parents(const std::string& input,
                               std::optional<int64_t> step = std::nullopt) const;

 private:
  /// A planned input where it is read, of a kept checkpoint its part.
  std::filesystem::path folder_of(const PlannedInput& input, std::optional<int64_t> step) const;
  template <class Value>
  const Value& once(std::map<std::string, Value>& known, const PlannedInput& input,
                    Value (InputReader::*read)(const PlannedInput&, std::optional<int64_t>));
  Text text(const PlannedInput& input, std::optional<int64_t> step);
  LoadedModel model(const PlannedInput& input, std::optional<int64_t> step);
  std::map<std::string, at::Tensor> tensors(const PlannedInput& input, std::optional<int64_t> step);
  Dataset dataset(const PlannedInput& input, std::optional<int64_t> step);
  std::shared_ptr<const Tokenizer> tokenizer(const PlannedInput& input,
                                             std::optional<int64_t> step);

  const Registries& registries_;
  const std::vector<PlannedInput>& planned_;
  const NodeInputs& folders_;
  const std::map<std::string, std::string>& parts_;
  TextForm form_;
  std::map<std::filesystem::path, std::shared_ptr<const Tokenizer>> tokenizers_;
  std::map<std::string, Text> texts_;
  std::map<std::string, LoadedModel> models_;
  std::map<std::string, std::map<std::string, at::Tensor>> tensors_;
  std::map<std::string, Dataset> datasets_;
};

/// What fills the inputs of a component that no node runs, read from finished nodes; texts have
/// their lines as they were before any tokenizer. `step`: the checkpoint of what was computed at
/// each of them. Throws MissingError if one is not finished.
Inputs read_filled(const Graph& graph, const GraphStatus& status, const Registries& registries,
                   const std::vector<InputDecl>& declared, const FilledInputs& filled,
                   const FilledScoreInputs& scores = {},
                   std::optional<int64_t> step = std::nullopt);

}  // namespace lvtext
