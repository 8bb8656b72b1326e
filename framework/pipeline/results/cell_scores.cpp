#include "framework/pipeline/results/cell_scores.h"

#include <cmath>

#include "framework/core/base/strings.h"
#include "framework/core/statistics/bootstrap.h"
#include "framework/pipeline/check/find_entry.h"
#include "framework/pipeline/store/node_parts.h"
#include "framework/pipeline/store/score_file.h"
#include "framework/pipeline/store/selection_file.h"

namespace lvtext {

std::vector<std::string> TableScores::rows() const {
  std::vector<std::string> all = row_ids;
  if (!others) return all;
  for (const auto& [id, table] : *others) {
    for (const auto& row : table.row_ids) all.push_back(id + ":" + row);
  }
  return all;
}

std::vector<std::string> TableScores::merged_notes() const {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> lines_of;
  for (const auto& [of, columns] : notes) {
    lines_of[{join(columns), of.second}].push_back(of.first);
  }
  std::vector<std::string> merged;
  for (const auto& [of, lines] : lines_of) {
    merged.push_back(of.first + " of " + join(lines) + ": " + of.second);
  }
  return merged;
}

std::vector<std::string> TableScores::metrics() const {
  std::vector<std::string> all = metric_ids;
  if (!others) return all;
  for (const auto& [id, table] : *others) {
    all.insert(all.end(), table.metric_ids.begin(), table.metric_ids.end());
  }
  return all;
}

const CellScores* TableScores::find(const std::string& row, const std::string& metric) const {
  if (const size_t colon = row.find(':'); others && colon != std::string::npos) {
    const auto table = others->find(row.substr(0, colon));
    return table == others->end() ? nullptr : table->second.find(row.substr(colon + 1), metric);
  }
  const CellScores* found = find_at(cells, row, metric);
  return !found || found->empty() ? nullptr : found;
}

std::optional<double> TableScores::value(const std::string& row, const std::string& metric) const {
  const CellScores* scores = find(row, metric);
  if (!scores) return std::nullopt;
  double sum = 0;
  for (const auto& [seed, score] : *scores) sum += score.value;
  return sum / static_cast<double>(scores->size());
}

std::vector<SeedValue> TableScores::per_seed(const std::string& row,
                                             const std::string& metric) const {
  std::vector<SeedValue> values;
  const CellScores* scores = find(row, metric);
  if (!scores) return values;
  for (const auto& [seed, score] : *scores) {
    if (seed) values.push_back({static_cast<uint64_t>(*seed), score.value});
  }
  return values;
}

int TableScores::resamples() const {
  return BootstrapOptions{}.resamples;
}

std::optional<double> TableScores::resampled(const std::string& row, const std::string& metric,
                                             int index) const {
  const CellScores* scores = find(row, metric);
  if (!scores) return std::nullopt;
  auto& means = resampled_[row + "." + metric];
  if (means.empty()) {
    means.assign(resamples(), 0);
    for (const auto& [seed, score] : *scores) {
      const std::vector<double> values = lvtext::resampled(score);
      if (values.empty()) {
        means.assign(1, 0);  // nothing to resample
        break;
      }
      for (size_t i = 0; i < values.size(); ++i) {
        means[i] += values[i] / static_cast<double>(scores->size());
      }
    }
  }
  if (means.size() == 1) return std::nullopt;
  return means[index];
}

FinishedScores read_finished_scores(const Experiment& experiment, const GraphStatus& status) {
  FinishedScores finished;
  const auto is_finished = [&](const std::string& node) {
    if (status.at(node).state == NodeState::kFinished) return true;
    finished.reasons[node] = failure_of(status, node);
    return false;
  };
  const auto read = [&](const SeedNodes& nodes) {
    for (const auto& [seed, node] : nodes) {
      if (finished.scores.contains(node) || !is_finished(node)) continue;
      finished.scores[node] = read_scores(status.at(node).folder);
    }
  };
  const auto read_selections = [&](const SeedNodes& nodes) {
    for (const auto& [seed, node] : nodes) {
      if (is_finished(node)) finished.selections[node] = read_selection(status.at(node).folder);
    }
  };
  for (const auto& row : experiment.rows) {
    for (const auto& [metric, cell] : row.cells) read(cell.scores);
    for (const auto& [metric, nodes] : row.at_checkpoints) {
      for (const auto& [seed, node] : nodes) {
        if (finished.at_checkpoints.contains(node) || !is_finished(node)) continue;
        const auto& folder = status.at(node).folder;
        for (const int64_t step : kept_steps(folder, experiment.graph.at(node).checkpoints)) {
          finished.at_checkpoints[node][step] = read_scores(folder, step);
        }
      }
    }
    for (const auto& [select, nodes] : row.checkpoint_selections) read_selections(nodes);
  }
  for (const auto& metric : experiment.metrics) read(metric.of_rows.scores);
  for (const auto& select : experiment.selects) read_selections(select.selections);
  return finished;
}

const Score* figure_score(const Experiment& experiment, const FigureMetric& metric,
                          const std::vector<Score>& scores, std::optional<int64_t> line,
                          std::string& reason) {
  const ExperimentMetric& shown = *find_entry(experiment.metrics, metric.metric);
  const std::string& id = metric.score.empty() ? shown.score : metric.score;
  const Score* score = find_score(scores, id, line);
  if (!score) reason = missing_score_reason(shown.evaluator, id) + " here";
  if (!score || std::isfinite(score->value)) return score;
  reason = "the score is not finite";
  return nullptr;
}

std::vector<CheckpointScore> checkpoint_scores(const Experiment& experiment,
                                               const FinishedScores& finished) {
  std::vector<CheckpointScore> all;
  for (const auto& row : experiment.rows) {
    for (const auto& metric : experiment.metrics) {
      const auto planned = row.at_checkpoints.find(metric.id);
      if (planned == row.at_checkpoints.end()) continue;
      for (const auto& [seed, node] : planned->second) {
        const auto found = finished.at_checkpoints.find(node);
        if (found == finished.at_checkpoints.end()) continue;
        for (const auto& [step, scores] : found->second) {
          for (const Score& score : scores) {
            all.push_back({row.id, seed ? std::to_string(*seed) : "", step, metric.id, score.id,
                           score.value});
          }
        }
      }
    }
  }
  return all;
}

}  // namespace lvtext
