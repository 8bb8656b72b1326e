#include <algorithm>
#include <set>

#include "framework/core/base/strings.h"
#include "framework/pipeline/plan/experiment.h"

namespace lvtext {

std::string metric_of(const TableLine& line, const TableColumn& column) {
  if (line.metrics.empty()) return column.metric;
  const auto found = line.metrics.find(column.id);
  return found == line.metrics.end() ? "" : found->second;
}

std::string row_of(const TableLine& line, const TableColumn& column) {
  for (const auto& block : {column.block, std::string()}) {
    const auto found = line.rows.find(block);
    if (found != line.rows.end()) return found->second;
  }
  return "";
}

const ExperimentRow* Experiment::row(const std::string& id) const {
  return find_entry(rows, id);
}

ExperimentCell ExperimentRow::cell(const std::string& metric, const std::string& select) const {
  const auto at = at_checkpoints.find(metric);
  const auto selections = checkpoint_selections.find(select);
  if (at != at_checkpoints.end() && selections != checkpoint_selections.end()) {
    return {.scores = at->second, .reason = "", .selections = selections->second};
  }
  const auto found = cells.find(metric);
  return found == cells.end() ? ExperimentCell{} : found->second;
}

const ExperimentSelect* Experiment::select(const std::string& id) const {
  return find_entry(selects, id);
}

ExperimentCell Experiment::cell(const TableLine& line, const TableColumn& column) const {
  if (!column.reason.empty()) return {{}, column.reason};
  if (const auto gone = line.reasons.find(column.block); gone != line.reasons.end()) {
    return {{}, gone->second};
  }
  const std::string metric = metric_of(line, column);
  const std::string id = row_of(line, column);
  const ExperimentRow* named = row(id);
  for (const ExperimentMetric& each : metrics) {
    const bool is_of_rows = !each.of_rows.scores.empty() || !each.of_rows.reason.empty();
    if (each.id != metric || !is_of_rows) continue;
    ExperimentCell of_rows = each.of_rows;
    const auto position = std::find(each.across.begin(), each.across.end(), id);
    if (each.scores_each_row && position != each.across.end()) {
      of_rows.line = position - each.across.begin();
    } else if (each.scores_each_row && named) {
      return {{}, "not among the rows of " + metric};
    }
    return of_rows;
  }
  if (named) {
    return named->reason.empty() ? named->cell(metric, column.choose)
                                 : ExperimentCell{{}, named->reason};
  }
  if (!line.rows.empty()) return {};
  for (const auto& each : rows) {
    const auto found = each.cells.find(metric);
    if (found != each.cells.end() && !found->second.scores.empty()) return found->second;
  }
  return {};
}

std::vector<const ExperimentData*> Experiment::used_data() const {
  std::set<std::string> needed;
  for (const GraphNode* node : graph.needed_for(targets())) needed.insert(node->name);
  std::vector<const ExperimentData*> used;
  for (const ExperimentData& set : data) {
    if (needed.contains(set.nodes.source)) used.push_back(&set);
  }
  return used;
}

std::vector<std::string> Experiment::targets(bool training_only) const {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    for (const auto& [seed, node] : row.trained) names.push_back(node);
    if (training_only) continue;
    for (const auto& [metric, cell] : row.cells) {
      for (const auto& [seed, node] : cell.scores) names.push_back(node);
    }
    for (const auto* nodes : {&row.at_checkpoints, &row.checkpoint_selections}) {
      for (const auto& [id, by_seed] : *nodes) {
        for (const auto& [seed, node] : by_seed) names.push_back(node);
      }
    }
    for (const auto& node : {row.interpolations, row.neighbors}) {
      if (!node.empty()) names.push_back(node);
    }
  }
  if (training_only) return names;
  for (const auto& metric : metrics) {
    for (const auto& [seed, node] : metric.of_rows.scores) names.push_back(node);
  }
  for (const auto& select : selects) {
    for (const auto& [seed, node] : select.selections) names.push_back(node);
  }
  for (const auto& figure : figures) {
    for (const ExperimentPanel* panel : figure.panels()) {
      const auto nodes = panel->nodes();
      names.insert(names.end(), nodes.begin(), nodes.end());
    }
  }
  for (const auto& sheet : sheets) {
    for (const auto& group : sheet.groups) {
      if (!sheet.is_written || !sheet.is_rated(group)) continue;
      for (const size_t row : group.rows) {
        const auto nodes = sheet.rows[row].panel.nodes();
        names.insert(names.end(), nodes.begin(), nodes.end());
      }
    }
  }
  return names;
}

std::vector<std::string> ExperimentPanel::nodes() const {
  std::vector<std::string> names;
  for (const auto& [input, fillings] : inputs) {
    for (const NodePart& filling : fillings) {
      const auto nodes = filling.nodes();
      names.insert(names.end(), nodes.begin(), nodes.end());
    }
  }
  return names;
}

std::vector<const ExperimentPanel*> ExperimentFigure::panels() const {
  std::vector<const ExperimentPanel*> all;
  for (const auto& group : rows) {
    for (const ExperimentPanel& panel : group) all.push_back(&panel);
  }
  if (rows.empty()) all.push_back(&alone);
  return all;
}

}  // namespace lvtext
