#include "framework/pipeline/results/filled_table.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/statistics/outliers.h"
#include "framework/core/statistics/statistics.h"
#include "framework/pipeline/nodes/component_nodes.h"

namespace lvtext {
namespace {

std::string ids_of(const std::vector<Score>& scores) {
  std::vector<std::string> ids;
  for (const auto& score : scores) ids.push_back(score.id);
  return join(ids);
}

/// Title of a column whose metric's scores have a title. In a block, the column's id is that of the
/// metric after a prefix, which the title keeps: acc80_sim becomes acc80_Sim-local.
std::string title_of(const std::string& column, const std::string& metric,
                     const std::string& title) {
  const bool is_metric = column == metric || column.ends_with("_" + metric);
  if (title.empty() || !is_metric) return column;
  return column.substr(0, column.size() - metric.size()) + title;
}

/// Number of decimals that shows at least three significant digits of our largest number; the
/// paper's numbers have the decimals of the recipe.
int decimals_of(const Table& table, const std::string& column) {
  double largest = 0;
  for (const auto& row : table.rows) {
    largest = std::max(largest, std::abs(table.cell(row.id, column).value.value_or(0)));
  }
  if (!(largest > 0) || !std::isfinite(largest)) return Column{}.decimals;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(largest))), 2, 6);
}

/// Reason of a value that is NaN although its evaluator names no reason.
constexpr const char* kNotANumber = "not a number (NaN)";

/// Why a score is NaN.
std::string undefined_reason(const Score& score) {
  return score.reason.empty() ? kNotANumber : "undefined: " + score.reason;
}

/// True for real data: texts of data sets, not generated.
bool is_real(const CheckedRow& row) {
  if (row.entry || row.fillers.empty()) return false;
  return std::all_of(row.fillers.begin(), row.fillers.end(), [](const auto& filler) {
    return std::all_of(filler.second.begin(), filler.second.end(), [](const Filling& filling) {
      const auto* reference = std::get_if<KnownReference>(&filling);
      return reference && reference->of == KnownReference::Of::kData;
    });
  });
}

/// The nodes of a cell, with one entry for a node that all seeds share: its one score depends on no
/// training, and is no sample of several.
SeedNodes own_nodes(const ExperimentCell& cell) {
  const SeedNodes& nodes = cell.scores;
  const bool is_one = std::all_of(nodes.begin(), nodes.end(), [&](const auto& each) {
    return each.second == nodes.begin()->second;
  });
  if (nodes.size() < 2 || !is_one || !cell.selections.empty()) return nodes;
  return {{std::nullopt, nodes.begin()->second}};
}

/// Mean, deviation and interval over seeds; for one seed its own interval.
void summarize(const CellScores& scores, Cell& cell) {
  cell.lo.reset();
  cell.hi.reset();
  if (scores.empty()) return;
  std::vector<double> values;
  for (const auto& [seed, score] : scores) values.push_back(score.value);
  cell.value = mean(values);
  cell.n_seeds = static_cast<int64_t>(values.size());
  cell.sd = sample_deviation(values);
  const auto interval =
      values.size() == 1 ? scores.begin()->second.interval : t_interval(values, 0.95);
  if (!interval) return;
  cell.lo = interval->lo;
  cell.hi = interval->hi;
}

/// The node of a seed; a single node is used for all seeds.
SeedNodes::const_iterator of_seed(const SeedNodes& nodes, std::optional<int64_t> seed) {
  return nodes.size() == 1 ? nodes.begin() : nodes.find(seed);
}

/// Fills the cells of one table.
class TableFiller {
 public:
  TableFiller(const Experiment& experiment, const FinishedScores& finished,
              const CheckedTable& checked, TableScores& scores)
      : experiment_(experiment), finished_(finished), checked_(checked), scores_(scores) {}

  Table fill() {
    Table table;
    for (const TableColumn& column : checked_.columns) {
      table.columns.push_back({.id = column.id});
      scores_.metric_ids.push_back(column.id);
    }
    for (const TableLine& line : checked_.lines) {
      table.rows.push_back({line.id, line.label, reason_of(line)});
      table.rows.back().is_real = is_real_line(line);
      scores_.row_ids.push_back(line.id);
    }
    table.resize();
    for (const TableLine& line : checked_.lines) {
      for (size_t c = 0; c < checked_.columns.size(); ++c) {
        const TableColumn& column = checked_.columns[c];
        table.cell(line.id, column.id) = fill_cell(line, column, table.columns[c]);
      }
      add_other_metrics(line);
      if (line.drops_runs) drop_runs(line, table);
    }
    for (size_t c = 0; c < table.columns.size(); ++c) {
      Column& column = table.columns[c];
      if (column.title.empty()) column.title = column.id;
      if (!column.comparable) {
        column.note =
            "not comparable with published values, which are on another scale; no rank correlation";
      }
      column.decimals = decimals_of(table, column.id);
    }
    // Checks may name missing scores.
    for (const auto& [id, reason] : experiment_.recipe.removed_rows()) {
      scores_.row_ids.push_back(id);
    }
    for (const auto& id : experiment_.recipe.known_metrics()) add_new(scores_.metric_ids, id);
    return table;
  }

 private:
  /// Removes the runs from a line that `aggregate` drops.
  void drop_runs(const TableLine& line, Table& table) {
    const AggregateOptions& aggregate = *checked_.options.aggregate;
    const CellScores by = scores_of(checked_.dropped_by, line);
    const CellScores flags = checked_.flag ? scores_of(*checked_.flag, line) : CellScores();
    std::vector<std::optional<int64_t>> seeds;
    std::vector<double> values, flagged;
    for (const auto& [seed, score] : by) {
      seeds.push_back(seed);
      values.push_back(score.value);
      const auto flag = flags.find(seed);
      if (flag != flags.end()) flagged.push_back(flag->second.value);
    }
    if (flagged.size() != values.size()) flagged.clear();
    const OutlierRule rule{aggregate.drop.mad, aggregate.drop.most};
    if (const auto runs = std::ssize(values); runs > 1 && runs < rule.min_runs) {
      scores_.notes[{line.id, format_count(runs, "run") +
                                  "; runs far from the median are dropped from " +
                                  format_count(rule.min_runs, "run") + " on"}] = {aggregate.by};
    }
    const auto dropped = outliers(values, flagged, rule);
    for (const Outlier& outlier : dropped) {
      scores_.dropped.push_back(
          {line.id, seeds[outlier.run], "dropped: " + aggregate.by + ": " + outlier.reason});
      for (auto& [column, scores] : scores_.cells[line.id]) scores.erase(seeds[outlier.run]);
    }
    if (dropped.empty()) return;
    for (const TableColumn& column : checked_.columns) {
      const auto kept = scores_.cells[line.id].find(column.id);
      if (kept == scores_.cells[line.id].end()) continue;
      summarize(kept->second, table.cell(line.id, column.id));
    }
  }

  /// The scores of "metric" or "metric.score" if the line's first columns show the line's row.
  CellScores scores_of(const MetricScore& named, const TableLine& line) const {
    const TableColumn column{.metric = named.metric,
                             .score = named.score,
                             .choose = checked_.options.choose.value_or("")};
    const ExperimentMetric* metric = find_entry(experiment_.metrics, column.metric);
    if (!metric) return {};
    std::string reason, keys;
    const ExperimentSelect* select = experiment_.select(row_of(line, column));
    const ExperimentCell planned =
        select ? chosen_cell(*select, line, column, keys) : experiment_.cell(line, column);
    return scores_of(planned, *metric, column.score.empty() ? metric->score : column.score, reason);
  }

  /// Why no cell of a line was computed; empty if some may be.
  std::string reason_of(const TableLine& line) const {
    if (line.rows.size() == 1 && line.reasons.empty() &&
        !experiment_.select(line.rows.begin()->second)) {
      const ExperimentRow* row = experiment_.row(line.rows.begin()->second);
      return row ? row->reason : "";
    }
    return line.rows.empty() && !line.reasons.empty() ? line.reasons.begin()->second : "";
  }

  bool is_real_line(const TableLine& line) const {
    if (line.rows.size() != 1) return false;
    const ExperimentRow* row = experiment_.row(line.rows.begin()->second);
    return row && is_real(row->checked);
  }

  Cell fill_cell(const TableLine& line, const TableColumn& column, Column& shown) {
    Cell cell;
    const TableOptions& options = checked_.options;
    if (const double* number = find_at(options.paper, line.id, column.id)) cell.paper = *number;
    if (const std::string* note = find_at(options.notes, line.id, column.id)) {
      cell.paper_note = *note;
    }
    const ExperimentSelect* select = experiment_.select(row_of(line, column));
    std::string keys;
    const ExperimentCell planned =
        select ? chosen_cell(*select, line, column, keys) : experiment_.cell(line, column);
    if (column.shows_selection) {
      cell.text = keys;
      cell.reason = planned.reason;
      return cell;
    }
    cell.reason = planned.reason;
    const ExperimentMetric* metric = find_entry(experiment_.metrics, metric_of(line, column));
    if (!metric) {
      const auto removed = experiment_.recipe.removed_metrics();
      const auto found = removed.find(column.metric);
      if (found != removed.end()) cell.reason = found->second;
      return cell;
    }
    const std::string score = column.score.empty() ? metric->score : column.score;
    CellScores& scores = scores_.cells[line.id][column.id];
    scores = scores_of(planned, *metric, score, cell.reason, &scores_.steps[line.id][column.id]);
    std::map<std::string, std::vector<std::string>> seeds_of;  // note -> seeds with it
    for (const auto& [seed, each] : scores) {
      shown.title = title_of(column.id, metric->id, each.title);
      shown.direction = each.direction;
      shown.comparable = shown.comparable && each.comparable;
      shown.real_is_best = shown.real_is_best || each.real_is_best;
      for (const std::string& note : each.notes) {
        add_new(seeds_of[note], seed ? std::to_string(*seed) : "none");
      }
      cell.unit = each.unit;
      add_new(cell.signatures, each.signature);
    }
    for (const auto& [note, seeds] : seeds_of) {
      const bool of_all = seeds.size() == scores.size();
      const std::string of =
          of_all ? "" : (seeds.size() == 1 ? "seed " : "seeds ") + join(seeds) + ": ";
      add_new(scores_.notes[{line.id, of + note}], column.id);
    }
    summarize(scores, cell);
    if (scores.empty() && cell.reason == kNotANumber) cell.text = "NaN";
    return cell;
  }

  /// Scores of the rows chosen by a select, by seed; `keys`: the selections.
  ExperimentCell chosen_cell(const ExperimentSelect& select, const TableLine& line,
                             const TableColumn& column, std::string& keys) const {
    ExperimentCell cell{{}, select.reason};
    const std::string metric = metric_of(line, column);
    std::vector<std::string> chosen;
    for (const auto& [seed, node] : select.selections) {
      const auto made = finished_.selections.find(node);
      if (made == finished_.selections.end() || !made->second.key) {
        cell.reason =
            made == finished_.selections.end() ? finished_.reasons.at(node) : made->second.reason;
        continue;
      }
      chosen.push_back(*made->second.key);
      const ExperimentRow* row = experiment_.row(select.rows.at(chosen.back()));
      if (!row) continue;
      const ExperimentCell of_row = row->cell(metric, column.choose);
      const auto own = of_seed(of_row.scores, seed), selection = of_seed(of_row.selections, seed);
      if (own != of_row.scores.end()) {
        cell.scores[seed] = own->second;
        if (selection != of_row.selections.end()) cell.selections[seed] = selection->second;
      } else if (!of_row.reason.empty()) {
        cell.reason = of_row.reason;
      }
    }
    const bool is_one = std::all_of(chosen.begin(), chosen.end(),
                                    [&](const auto& key) { return key == chosen.front(); });
    if (!chosen.empty()) keys = is_one ? chosen.front() : join(chosen);
    // A metric of several rows has a score for the select itself.
    ExperimentCell together = experiment_.cell(line, column);
    return together.scores.empty() ? cell : together;
  }

  /// The displayed score by seed; a reason if some seed has none. `steps` receives the kept
  /// checkpoints of the scores.
  CellScores scores_of(const ExperimentCell& planned, const ExperimentMetric& metric,
                       const std::string& score, std::string& reason,
                       std::map<std::optional<int64_t>, int64_t>* steps = nullptr) const {
    CellScores scores;
    for (const auto& [seed, node] : own_nodes(planned)) {
      const SeedScores found = seed_scores(finished_, planned, seed, node, reason);
      if (!found.all) continue;
      if (steps && found.step) (*steps)[seed] = *found.step;
      const Score* shown = find_score(*found.all, score, planned.line);
      if (shown && !std::isnan(shown->value)) {
        scores[seed] = *shown;
      } else if (shown) {
        reason = undefined_reason(*shown);
      } else {
        reason = missing_score_reason(metric.evaluator, score) +
                 " here (all: " + ids_of(*found.all) + ")";
      }
    }
    return scores;
  }

  void add_other_metrics(const TableLine& line) {
    const auto row = line.rows.find("");
    const ExperimentRow* of = row == line.rows.end() ? nullptr : experiment_.row(row->second);
    if (!of) return;
    std::string reason;
    for (const ExperimentMetric& metric : experiment_.metrics) {
      auto& columns = scores_.cells[line.id];
      if (columns.contains(metric.id)) continue;
      const ExperimentCell planned = of->cell(metric.id, checked_.options.choose.value_or(""));
      CellScores scores = scores_of(planned, metric, metric.score, reason);
      if (!scores.empty()) columns[metric.id] = std::move(scores);
    }
  }

  const Experiment& experiment_;
  const FinishedScores& finished_;
  const CheckedTable& checked_;
  TableScores& scores_;
};

}  // namespace

SeedScores seed_scores(const FinishedScores& finished, const ExperimentCell& cell,
                       std::optional<int64_t> seed, const std::string& node, std::string& reason) {
  // A row chosen for one seed may have kept checkpoints, one chosen for another may not.
  const auto selection = cell.selections.find(seed);
  if (selection == cell.selections.end()) {
    const auto found = finished.scores.find(node);
    if (found != finished.scores.end()) return {&found->second};
    reason = finished.reasons.at(node);
    return {};
  }
  const auto made = finished.selections.find(selection->second);
  const auto kept = finished.at_checkpoints.find(node);
  if (made == finished.selections.end()) {
    reason = finished.reasons.at(selection->second);
  } else if (!made->second.key) {
    reason = made->second.reason;
  } else if (kept == finished.at_checkpoints.end()) {
    reason = finished.reasons.at(node);
  } else {
    const int64_t step = made->second.step();
    return {&kept->second.at(step), step};
  }
  return {};
}

Table fill_table(const Experiment& experiment, const FinishedScores& finished,
                 const CheckedTable& table, TableScores& scores) {
  Table filled = TableFiller(experiment, finished, table, scores).fill();
  const Node& tree = experiment.recipe.tree;
  const Node* tables = tree.find("tables");
  const Node* written = tables ? tables->find(table.id) : nullptr;
  keep_paper_text(written || table.id != "table" ? written : tree.find("table"), filled);
  return filled;
}

void keep_paper_text(const Node* written, Table& table) {
  const Node* paper = written ? written->find("paper") : nullptr;
  for (size_t r = 0; paper && r < table.rows.size(); ++r) {
    const Node* numbers = paper->find(table.rows[r].id);
    for (size_t c = 0; numbers && c < table.columns.size(); ++c) {
      const Node* number = numbers->find(table.columns[c].id);
      if (number) table.cells[r][c].paper_text = number->text();
    }
  }
}

namespace {

/// All scores of a row, the first seed's.
struct RowScores {
  Row row;
  const std::vector<Score>* all;
  std::optional<int64_t> line;  ///< index of the row, for nodes with one score per row
};

/// The rows with scores of a metric, or one row for a metric that uses none.
std::vector<RowScores> scored_rows(const Experiment& experiment, const FinishedScores& finished,
                                   const ExperimentMetric& metric, const std::string& choose) {
  std::vector<RowScores> rows;
  const auto add = [&](const std::string& id, const std::string& label,
                       const std::vector<Score>& scores, std::optional<int64_t> line) {
    rows.push_back({{id, label, ""}, &scores, line});
    const ExperimentRow* row = experiment.row(id);
    rows.back().row.is_real = row && is_real(row->checked);
  };
  for (const auto& row : experiment.rows) {
    const ExperimentCell planned = row.cell(metric.id, choose);
    if (planned.scores.empty()) continue;
    const auto& [seed, node] = *planned.scores.begin();
    std::string reason;
    const SeedScores first = seed_scores(finished, planned, seed, node, reason);
    if (!first.all) continue;
    if (!metric.uses_row) {
      add(metric.id, metric.id, *first.all, planned.line);
      break;
    }
    const std::string step = first.step ? ", step " + format_count(*first.step) : "";
    add(row.id, row.label + step, *first.all, planned.line);
  }
  return rows;
}

/// The table of these scores; the row with most of them determines the order of columns.
Table table_of(const std::vector<RowScores>& rows) {
  Table table;
  const std::vector<Score>* most = nullptr;
  for (const RowScores& each : rows) {
    table.rows.push_back(each.row);
    if (!most || each.all->size() > most->size()) most = each.all;
  }
  if (!most) return table;
  std::set<std::string> known;  // a metric of several rows has the same score for each of them
  for (const Score& score : *most) {
    if (!known.insert(score.id).second) continue;
    table.columns.push_back({.id = score.id,
                             .title = score.id,
                             .direction = score.direction,
                             .real_is_best = score.real_is_best});
  }
  table.resize();
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Score* score = find_score(*rows[r].all, table.columns[c].id, rows[r].line);
      if (!score) continue;
      Cell& cell = table.cells[r][c];
      if (std::isnan(score->value)) {
        cell.reason = undefined_reason(*score);
        if (score->reason.empty()) cell.text = "NaN";
        continue;
      }
      summarize({{std::nullopt, *score}}, cell);
      cell.unit = score->unit;
      cell.signatures = {score->signature};
    }
  }
  for (Column& column : table.columns) column.decimals = decimals_of(table, column.id);
  return table;
}

}  // namespace

std::vector<SideTable> all_scores(const Experiment& experiment, const FinishedScores& finished) {
  const std::string choose = experiment.tables.front().options.choose.value_or("");
  std::vector<SideTable> all;
  for (const auto& metric : experiment.metrics) {
    Table table = table_of(scored_rows(experiment, finished, metric, choose));
    if (!table.columns.empty()) all.push_back({metric.id, "", std::move(table)});
  }
  return all;
}

}  // namespace lvtext
