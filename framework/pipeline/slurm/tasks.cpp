#include "framework/pipeline/slurm/tasks.h"

#include <algorithm>
#include <map>
#include <set>

namespace lvtext {
namespace {

using Rows = std::set<size_t>;  // indices of rows at a seed

/// The rows that need each node.
class Needs {
 public:
  Needs(const std::vector<const GraphNode*>& nodes, const std::vector<RowSeed>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      // Rows may share a training: it is a task of the first one.
      if (!rows[i].trained.empty()) row_of_.emplace(rows[i].trained, i);
    }
    for (const GraphNode* node : nodes) {
      needed_by_[node->name];
      Rows& before = trained_[node->name];
      for (const auto& [input, name] : node->inputs) before.merge(Rows(trained_[name]));
      if (const auto own = row_of_.find(node->name); own != row_of_.end()) {
        before_[own->second] = before;
        before.insert(own->second);
      }
      if (const auto row = last_row(before)) needed_by_[node->name].insert(*row);
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      for (const auto& name : rows[i].results) {
        const auto found = trained_.find(name);
        if (found != trained_.end() && found->second.empty()) needed_by_[name].insert(i);
      }
    }
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      for (const auto& [input, name] : (*node)->inputs) {
        needed_by_[name].merge(Rows(needed_by_[(*node)->name]));
      }
    }
  }

  const Rows& of(const std::string& node) const { return needed_by_.at(node); }
  /// The row of a training; none for other nodes.
  std::optional<size_t> row_of(const std::string& node) const {
    const auto found = row_of_.find(node);
    return found == row_of_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  /// The only row whose training depends on those of all other `rows`.
  std::optional<size_t> last_row(const Rows& rows) const {
    for (const size_t row : rows) {
      const Rows& before = before_.at(row);
      const bool is_last = std::all_of(rows.begin(), rows.end(), [&](size_t other) {
        return other == row || before.contains(other);
      });
      if (is_last) return row;
    }
    return std::nullopt;
  }

  std::map<std::string, size_t> row_of_;
  std::map<std::string, Rows> trained_;  ///< node -> rows whose trainings it depends on
  std::map<size_t, Rows> before_;        ///< row -> rows whose trainings its own depends on
  std::map<std::string, Rows> needed_by_;
};

/// A node that several rows need: its stage (from 1) and its task. Data have the task "".
struct SharedTask {
  size_t stage = 1;
  std::string task;
};

SharedTask shared_task_of(const GraphNode& node, const std::map<std::string, SharedTask>& known) {
  size_t stage = 0;
  std::set<std::string> tasks;  // of its inputs of the latest stage
  for (const auto& [input, name] : node.inputs) {
    const SharedTask& found = known.at(name);
    if (found.stage > stage) tasks.clear();
    stage = std::max(stage, found.stage);
    if (found.stage == stage) tasks.insert(found.task);
  }
  if (node.kind == NodeKind::kTrain) return {stage + 1, node.name};
  return tasks.size() == 1 ? SharedTask{stage, *tasks.begin()} : SharedTask{stage + 1, ""};
}

}  // namespace

std::string row_id(const std::string& row, const std::optional<int64_t>& seed) {
  return row + (seed ? "#" + std::to_string(*seed) : "");
}

std::vector<Task> split_into_tasks(const Graph& graph, const std::vector<RowSeed>& rows,
                                   const std::vector<std::string>& targets) {
  const auto nodes = graph.needed_for(targets);
  const Needs needs(nodes, rows);
  std::map<std::string, SharedTask> known;
  std::map<size_t, std::map<std::string, Task>> shared;  // stage -> task
  std::map<size_t, Task> of_rows;
  Task last{kLastStage, kLastStage, "", std::nullopt, {}};
  const auto describe = [&rows](Task& task, size_t row) {
    task.row = rows[row].row;
    task.seed = rows[row].seed;
  };
  for (const GraphNode* node : nodes) {
    const Rows& rows_of_node = needs.of(node->name);
    if (rows_of_node.empty()) {
      last.nodes.push_back(node->name);
    } else if (rows_of_node.size() == 1) {
      const size_t row = *rows_of_node.begin();
      Task& task = of_rows[row];
      describe(task, row);
      task.nodes.push_back(node->name);
    } else {
      const SharedTask& found = known[node->name] = shared_task_of(*node, known);
      Task& task = shared[found.stage][found.task];
      task.id = found.task;
      if (const auto row = needs.row_of(found.task)) describe(task, *row);
      task.nodes.push_back(node->name);
    }
  }
  std::vector<Task> tasks;
  for (auto& [stage, by_name] : shared) {
    const std::string number = std::to_string(stage);
    for (auto& [name, task] : by_name) {
      task.stage = "shared-" + number;
      if (task.id.empty()) task.id = stage == 1 ? "data" : "data-" + number;
      tasks.push_back(std::move(task));
    }
  }
  for (auto& [row, task] : of_rows) {
    task.stage = kRowStage;
    task.id = row_id(task.row, task.seed);
    tasks.push_back(std::move(task));
  }
  tasks.push_back(std::move(last));
  return tasks;
}

std::vector<std::string> stages_of(const std::vector<Task>& tasks) {
  std::vector<std::string> known;
  for (const Task& task : tasks) {
    if (known.empty() || known.back() != task.stage) known.push_back(task.stage);
  }
  return known;
}

}  // namespace lvtext
