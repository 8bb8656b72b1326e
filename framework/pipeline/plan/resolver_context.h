// What the classes of the resolver share: its recipe and graph, rows at one seed, absent values.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/check/checked_recipe.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/filled_inputs.h"

namespace lvtext {

/// Thrown where a value cannot be computed for a row, such as reconstructions of a model without an
/// encoder: no mistake, but the reason of an empty cell.
struct Absent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The result of `compute`; none if it throws Absent, with the reason.
template <class Compute>
auto unless_absent(std::string& reason, const Compute& compute)
    -> std::optional<decltype(compute())> {
  try {
    return compute();
  } catch (const Absent& absent) {
    reason = absent.what();
    return std::nullopt;
  }
}

/// A row of the recipe at one seed, the target of references to `row`; or a select among rows,
/// which is replaced by the chosen row; or an entry at one of its runs, without a row.
struct ResolvedRow {
  std::string id;
  std::string suffix;           ///< end of its nodes' names: "-1112" for seeds after the first
  std::optional<int64_t> seed;  ///< none without a training
  const CheckedRow* row = nullptr;
  const CheckedSelect* select = nullptr;
  const Component* model = nullptr;  ///< null: the row has given texts
  std::string trained;               ///< node of the model
  size_t seed_index = 0,
         seed_count = 1;  ///< position of `seed` among the row's seeds, and their number
  /// Generate and score at every kept checkpoint instead of at the selected weights (only texts
  /// that the recipe generates `at_checkpoints`).
  bool at_checkpoints = false;
  std::string model_part = {};  ///< part of the model's node to read
  std::string split = {};       ///< for an entry that runs on each split of a data set
};

/// True if a row's training keeps checkpoints and texts are generated from each of them.
bool keeps_checkpoints(const CheckedRow& row);
/// Whether an input is read at each kept checkpoint.
bool reads_checkpoints(const FilledInputs& inputs, const FilledScoreInputs& scores,
                       const Graph& graph);

/// Inputs of the resolver; all must outlive it.
struct ResolverContext {
  Graph& graph;
  const Registries& registries;
  const CheckedRecipe& recipe;
  const std::map<std::string, DataNodes>& data;
  std::string main_data;         ///< data set of trainings that do not specify one
  std::optional<int64_t> seeds;  ///< trainings per model; unset: the value of its entry
  DataLocations locations;
  std::string config;  ///< the resolved recipe

  /// The entry that a checked reference names.
  const CheckedEntry& entry(const std::string& id) const;
  /// Throws ConfigError at the line of an entry, row, metric or select.
  [[noreturn]] void refuse(const std::string& id, const std::string& problem,
                           const std::string& hint) const;
  /// Returns the result of `add`, which adds a node; reports its ConfigErrors at the line of an
  /// entry.
  std::string located(const std::string& id, const std::function<std::string()>& add) const;
  /// A node and the records that its rows represent, for messages.
  std::string shown_rows(const NodePart& part) const;
  /// Throws ConfigError for joined columns that belong to different records.
  void check_joined(const std::string& owner, const std::vector<NodePart>& parts) const;
};

}  // namespace lvtext
