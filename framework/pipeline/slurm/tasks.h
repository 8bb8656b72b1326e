// Splits a graph into tasks that run in separate jobs, in stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// A row of a recipe at a seed. A row without training has no seed.
struct RowSeed {
  std::string row;
  std::optional<int64_t> seed;
  std::string trained;               ///< node of the training; empty: none
  std::vector<std::string> results;  ///< for a row without training: its nodes
};

/// "ROW#SEED", or "ROW" without a seed.
std::string row_id(const std::string& row, const std::optional<int64_t>& seed);

/// Nodes that one job runs. Nodes of earlier stages are finished before, nodes of the same stage
/// are not needed.
struct Task {
  std::string stage;
  std::string id;   ///< "ae#1111", "data", "forward-language_model", "report"
  std::string row;  ///< empty: no row
  std::optional<int64_t> seed;
  std::vector<std::string> nodes;  ///< inputs first
};

/// Stage of the rows, and of the rest.
inline constexpr const char* kRowStage = "rows";
inline constexpr const char* kLastStage = "report";

/// Splits the nodes that `targets` need; each is in one task. A row at a seed is a task with all
/// nodes whose last training of a row is its own. Nodes that several of these need come before them
/// in stages "shared-1", "shared-2", ...: each training is a task with the nodes that only it
/// precedes, the other nodes of a stage are one task. The last task, "report", has the rest (nodes
/// that combine rows), and exists even if there is none. Tasks are in the order of stages.
std::vector<Task> split_into_tasks(const Graph& graph, const std::vector<RowSeed>& rows,
                                   const std::vector<std::string>& targets);

/// The names of the stages in their order.
std::vector<std::string> stages_of(const std::vector<Task>& tasks);

}  // namespace lvtext
