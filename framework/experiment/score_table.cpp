#include "framework/experiment/score_table.h"

#include <algorithm>
#include <cmath>

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/nodes/component_nodes.h"
#include "framework/statistics/bootstrap.h"
#include "framework/statistics/statistics.h"

namespace lvtext {
namespace {

std::string ids_of(const std::vector<Score>& scores) {
  std::vector<std::string> ids;
  for (const auto& score : scores) ids.push_back(score.id);
  return join(ids);
}

/// Digits after the point that show at least three significant ones of our largest number; the
/// paper's are shown as the recipe has them.
int decimals_of(const Table& table, const std::string& column) {
  double largest = 0;
  for (const auto& row : table.rows) {
    largest = std::max(largest, std::abs(table.cell(row.id, column).value.value_or(0)));
  }
  if (!(largest > 0) || !std::isfinite(largest)) return Column{}.decimals;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(largest))), 2, 6);
}

}  // namespace

const CellScores* TableScores::find(const std::string& row, const std::string& metric) const {
  const auto by_row = cells.find(row);
  if (by_row == cells.end()) return nullptr;
  const auto found = by_row->second.find(metric);
  return found == by_row->second.end() || found->second.empty() ? nullptr : &found->second;
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

void fill_table(const Experiment& experiment, const GraphStatus& status, TableScores& scores,
                Table& table) {
  const TableOptions& options = experiment.recipe.options.table;
  std::map<std::string, Column> columns;
  for (const auto& id : experiment.recipe.known_metrics()) columns[id].id = id;
  for (const auto& row : experiment.rows) {
    table.rows.push_back({row.id, row.label, row.reason});
    scores.row_ids.push_back(row.id);
  }
  scores.metric_ids = experiment.recipe.known_metrics();
  std::map<std::string, std::map<std::string, Cell>> cells;
  for (const auto& [row, numbers] : options.paper) {
    for (const auto& [metric, number] : numbers) cells[row][metric].paper = number;
  }
  for (const auto& row : experiment.rows) {
    for (const auto& [metric, reason] : experiment.recipe.removed_metrics) {
      cells[row.id][metric].reason = reason;
    }
    for (const auto& metric : experiment.metrics) {
      Cell& cell = cells[row.id][metric.id];
      const auto planned = row.cells.find(metric.id);
      if (planned == row.cells.end()) continue;
      cell.reason = planned->second.reason;
      for (const auto& [seed, node] : planned->second.scores) {
        if (status.at(node).state != NodeState::kFinished) {
          cell.reason = failure_of(status, node);
          continue;
        }
        const std::vector<Score> all = read_scores(status.at(node).folder);
        if (seed == planned->second.scores.begin()->first) {
          auto& kept = scores.all[row.id][metric.id];
          kept = all;
          for (auto& score : kept) {
            score.rows = {};
            score.resamples = {};
          }
        }
        const Score* shown = find_score(all, metric.score);
        if (!shown) {
          cell.reason = metric.evaluator + " gives no score '" + metric.score +
                        "' here (all: " + ids_of(all) + ")";
          continue;
        }
        const Score& score = *shown;
        Column& column = columns[metric.id];
        column.title = score.title.empty() ? metric.id : score.title;
        column.direction = score.direction;
        cell.unit = score.unit;
        auto& signatures = cell.signatures;
        if (std::find(signatures.begin(), signatures.end(), score.signature) == signatures.end()) {
          signatures.push_back(score.signature);
        }
        scores.cells[row.id][metric.id][seed] = score;
      }
      const auto found = scores.cells[row.id].find(metric.id);
      if (found == scores.cells[row.id].end() || found->second.empty()) continue;
      std::vector<double> values;
      for (const auto& [seed, score] : found->second) values.push_back(score.value);
      cell.value = mean(values);
      cell.n_seeds = static_cast<int64_t>(values.size());
      cell.sd = sample_deviation(values);
      const auto interval =
          values.size() == 1 ? found->second.begin()->second.interval : t_interval(values, 0.95);
      if (interval) {
        cell.lo = interval->lo;
        cell.hi = interval->hi;
      }
    }
  }
  for (const auto& id : options.columns) {
    if (columns[id].title.empty()) columns[id].title = id;
    table.columns.push_back(columns[id]);
  }
  table.resize();
  for (const auto& row : experiment.rows) {
    for (const auto& id : options.columns) table.cell(row.id, id) = cells[row.id][id];
  }
  for (auto& column : table.columns) column.decimals = decimals_of(table, column.id);
}

std::vector<TextTable> all_scores(const Experiment& experiment, const TableScores& scores) {
  std::vector<TextTable> tables;
  for (const auto& metric : experiment.metrics) {
    std::vector<const Score*> columns;  // as the row that has most of them orders them
    std::map<std::string, const std::vector<Score>*> by_row;
    for (const auto& [row, metrics] : scores.all) {
      const auto found = metrics.find(metric.id);
      if (found == metrics.end()) continue;
      by_row[row] = &found->second;
      if (found->second.size() <= columns.size()) continue;
      columns.clear();
      for (const Score& score : found->second) columns.push_back(&score);
    }
    if (columns.empty()) continue;
    TextTable table{metric.id, "of each row's first seed", {"row"}, {}};
    std::vector<bool> has_one_unit;
    for (const Score* column : columns) {
      has_one_unit.push_back(std::all_of(by_row.begin(), by_row.end(), [&](const auto& row) {
        const Score* score = find_score(*row.second, column->id);
        return !score || score->unit == column->unit;
      }));
      const bool named = has_one_unit.back() && !column->unit.empty();
      table.columns.push_back(column->id + (named ? ", " + column->unit : ""));
    }
    for (const auto& row : experiment.rows) {
      const auto found = by_row.find(row.id);
      if (found == by_row.end()) continue;
      std::vector<std::string> cells = {row.label};
      for (size_t i = 0; i < columns.size(); ++i) {
        const Score* score = find_score(*found->second, columns[i]->id);
        cells.push_back(score ? significant(score->value, 4) : "");
        if (score && !has_one_unit[i]) cells.back() += " " + score->unit;
      }
      table.rows.push_back(std::move(cells));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace lvtext
