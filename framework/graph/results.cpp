#include "framework/graph/results.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/data/grammar.h"
#include "framework/data/manifest.h"
#include "framework/graph/profile_cuts.h"
#include "framework/graph/report_figures.h"
#include "framework/graph/schedules.h"
#include "framework/graph/score_nodes.h"
#include "framework/graph/training_logs.h"
#include "framework/report/statistics.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

/// Scores of one cell, one per seed.
using CellScores = std::map<int64_t, Score>;

/// What checks read: values, seeds, and resamples computed once per cell.
class Scores : public ScoreSource {
 public:
  std::map<std::string, std::map<std::string, CellScores>> cells;
  std::vector<std::string> row_ids, metric_ids;

  std::vector<std::string> rows() const override { return row_ids; }
  std::vector<std::string> metrics() const override { return metric_ids; }
  std::optional<double> value(const std::string& row, const std::string& metric) const override {
    const CellScores* scores = find(row, metric);
    if (!scores) return std::nullopt;
    double sum = 0;
    for (const auto& [seed, score] : *scores) sum += score.value;
    return sum / static_cast<double>(scores->size());
  }
  std::vector<SeedValue> per_seed(const std::string& row,
                                  const std::string& metric) const override {
    std::vector<SeedValue> values;
    const CellScores* scores = find(row, metric);
    if (!scores || scores->contains(0)) return values;  // seed 0: real data depend on none
    for (const auto& [seed, score] : *scores) {
      values.push_back({static_cast<uint64_t>(seed), score.value});
    }
    return values;
  }
  int resamples() const override { return BootstrapOptions{}.resamples; }
  std::optional<double> resampled(const std::string& row, const std::string& metric,
                                  int index) const override {
    const CellScores* scores = find(row, metric);
    if (!scores) return std::nullopt;
    auto& means = resampled_[row + "." + metric];
    if (means.empty()) {
      means.assign(resamples(), 0);
      for (const auto& [seed, score] : *scores) {
        if (score.rows.values.empty()) {
          means.assign(1, 0);  // no statistics per sentence: nothing to resample
          break;
        }
        const std::vector<double> values = lvtext::resampled(score.rows);
        for (size_t i = 0; i < values.size(); ++i) {
          means[i] += values[i] / static_cast<double>(scores->size());
        }
      }
    }
    if (means.size() == 1) return std::nullopt;
    return means[index];
  }

 private:
  const CellScores* find(const std::string& row, const std::string& metric) const {
    const auto by_row = cells.find(row);
    if (by_row == cells.end()) return nullptr;
    const auto found = by_row->second.find(metric);
    return found == by_row->second.end() || found->second.empty() ? nullptr : &found->second;
  }
  mutable std::map<std::string, std::vector<double>> resampled_;
};

/// The score that a metric shows: the one named, else the first. None if the evaluator gives no
/// such score for this model (the KL of a deterministic autoencoder).
const Score* shown_score(const std::vector<Score>& scores, const std::string& id) {
  LVT_ASSERT(!scores.empty(), "a score node without scores");
  if (id.empty()) return &scores.front();
  for (const auto& score : scores) {
    if (score.id == id) return &score;
  }
  return nullptr;
}

std::string ids_of(const std::vector<Score>& scores) {
  std::vector<std::string> ids;
  for (const auto& score : scores) ids.push_back(score.id);
  return join(ids);
}

/// Digits after the point that show at least three significant ones of a column's largest number.
int decimals_of(const Table& table, const std::string& column) {
  double largest = 0;
  for (const auto& row : table.rows) {
    const Cell& cell = table.cell(row.id, column);
    largest =
        std::max({largest, std::abs(cell.value.value_or(0)), std::abs(cell.paper.value_or(0))});
  }
  if (!(largest > 0) || !std::isfinite(largest)) return Column{}.decimals;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(largest))), 2, 6);
}

void fill_table(const Experiment& experiment, const GraphStatus& status, Scores& scores,
                Table& table) {
  const TableOptions& options = experiment.recipe.options.table;
  std::map<std::string, Column> columns;
  for (const auto& metric : experiment.metrics) columns[metric.id].id = metric.id;
  for (const auto& row : experiment.rows) {
    table.rows.push_back({row.id, row.label, row.reason});
    scores.row_ids.push_back(row.id);
  }
  for (const auto& metric : experiment.metrics) scores.metric_ids.push_back(metric.id);
  std::map<std::string, std::map<std::string, Cell>> cells;
  for (const auto& row : experiment.rows) {
    for (const auto& metric : experiment.metrics) {
      Cell& cell = cells[row.id][metric.id];
      const auto paper = options.paper.find(row.id);
      if (paper != options.paper.end() && paper->second.contains(metric.id)) {
        cell.paper = paper->second.at(metric.id);
      }
      const auto planned = row.cells.find(metric.id);
      if (planned == row.cells.end()) continue;
      cell.reason = planned->second.reason;
      for (const auto& [seed, node] : planned->second.scores) {
        if (status.at(node).state != NodeState::kFinished) {
          cell.reason = failure_of(status, node);
          continue;
        }
        const std::vector<Score> all = read_scores(status.at(node).folder);
        const Score* shown = shown_score(all, metric.score);
        if (!shown) {
          cell.reason = metric.evaluator + " gives no score '" + metric.score +
                        "' here (all: " + ids_of(all) + ")";
          continue;
        }
        const Score& score = *shown;
        Column& column = columns[metric.id];
        column.title = score.title.empty() ? metric.id : score.title;
        column.unit = score.unit;
        column.direction = score.direction;
        if (column.signature.empty()) column.signature = score.signature;
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

void add_texts(const Experiment& experiment, const GraphStatus& status,
               const std::vector<std::string>& test, ReportData& report) {
  constexpr size_t kShown = 8;
  TextTable samples{"Samples", "the first ones of each row, not chosen", {"row", "text"}, {}};
  TextTable back{"Reconstructions", "of the first test sentences", {"row", "source", "text"}, {}};
  auto first_lines = [&status](const std::map<int64_t, std::string>& nodes) {
    std::vector<std::string> lines;
    if (nodes.empty() || status.at(nodes.begin()->second).state != NodeState::kFinished) {
      return lines;
    }
    lines = read_written_lines(status.at(nodes.begin()->second).folder / "text.txt");
    if (lines.size() > kShown) lines.resize(kShown);
    return lines;
  };
  for (const auto& row : experiment.rows) {
    for (const auto& text : first_lines(row.samples)) samples.rows.push_back({row.label, text});
    const auto texts = first_lines(row.reconstructions);
    for (size_t i = 0; i < texts.size() && i < test.size(); ++i) {
      back.rows.push_back({row.label, test[i], texts[i]});
    }
  }
  if (!samples.rows.empty()) report.samples.push_back(samples);
  if (!back.rows.empty()) report.samples.push_back(back);
  for (auto& table : latent_tables(experiment, status, test)) report.samples.push_back(table);
}

/// "12 updates", "20 epochs or 3600 seconds".
std::string length_text(const StopRule& stop) {
  std::vector<std::string> lengths;
  for (const Period& period : stop.any) {
    const std::string amount = format_number(period.amount);
    switch (period.unit) {
      case Period::Unit::kUpdates: lengths.push_back(amount + " updates"); break;
      case Period::Unit::kEpochs: lengths.push_back(amount + " epochs"); break;
      case Period::Unit::kTokens: lengths.push_back(amount + " tokens"); break;
      case Period::Unit::kSeconds: lengths.push_back(amount + " seconds"); break;
    }
  }
  return join(lengths, " or ");
}

/// What a reader asks first: how long, how often, and on what it was trained.
void add_training_facts(const Experiment& experiment, const std::vector<TrainingLog>& logs,
                        ReportData& report) {
  if (logs.empty()) return;
  std::set<std::string> lengths;
  for (const auto& row : experiment.rows) {
    if (row.trained.empty()) continue;
    lengths.insert(length_text(read_train_options(experiment.recipe.row_train(row.id)).stop));
  }
  report.facts.push_back({"trained for", join({lengths.begin(), lengths.end()}, "; ")});
  std::set<int64_t> seeds;
  std::set<std::string> devices;
  for (const TrainingLog& log : logs) {
    seeds.insert(log.seed);
    devices.insert(log.device + ", " + log.precision);
  }
  std::vector<std::string> numbers;
  for (const int64_t seed : seeds) numbers.push_back(std::to_string(seed));
  report.facts.push_back({"device", join({devices.begin(), devices.end()}, "; ")});
  report.facts.push_back({numbers.size() == 1 ? "seed" : "seeds", join(numbers)});
}

void add_schedules(const Experiment& experiment, const GraphStatus& status,
                   const Registries& registries, ReportData& report) {
  TextTable table{"Schedules",
                  "written for train.schedules_for updates, scaled to the updates of each run",
                  {"row", "option", "written, updates", "here, updates"},
                  {}};
  for (const auto& option : scaled_options(experiment, status, registries)) {
    table.rows.push_back(
        {option.row, option.path, format_number(option.written), fixed(option.scaled, 1)});
  }
  if (!table.rows.empty()) report.data_counts.push_back(table);
}

void add_data(const Experiment& experiment, const GraphStatus& status, ReportData& report) {
  const NodeStatus& source = status.at(experiment.data.source);
  if (source.state != NodeState::kFinished) return;
  const auto manifest = read_run_manifest(source.folder);
  TextTable counts{"Data", "", {"what", "count"}, {}};
  for (const char* group : {"sentences", "counts"}) {
    for (const auto& [name, value] : manifest->at("facts").at(group).items()) {
      counts.rows.push_back({std::string(group) + ": " + name, value.dump()});
    }
  }
  report.data_counts.push_back(counts);
  const DataOptions& options = experiment.data_options.source;
  // A limit of words makes another distribution, whose entropy is not the grammar's.
  if (options.train.empty() && options.max_words == 0 &&
      load_manifest(options.set, manifest_folders()).is_grammar) {
    report.facts.push_back({"entropy of the data", fixed(Grammar::news().entropy(), 2) +
                                                       " nats per sentence: no cross entropy of "
                                                       "fresh sentences can be lower"});
  }
}

}  // namespace

ReportData collect_results(const Experiment& experiment, const Experiment* paper,
                           const GraphStatus& status, const Registries& registries,
                           const std::string& version) {
  const RecipeOptions& recipe = experiment.recipe.options;
  ReportData report;
  report.recipe = recipe.recipe;
  report.profile = experiment.recipe.profile;
  report.version = version;
  if (recipe.paper) {
    report.paper_title = recipe.paper->title;
    report.paper_id = recipe.paper->id;
    report.paper_item = recipe.paper->item;
  }
  const DataOptions& data = experiment.data_options.source;
  report.facts.push_back({"data", data.train.empty() ? data.set : "own text"});
  if (data.max_words) {
    report.facts.push_back({"longest sentence", std::to_string(data.max_words) + " words"});
  }
  report.facts.push_back({"pieces", std::to_string(experiment.data_options.tokenizer.vocab) +
                                        " at most (" +
                                        enum_name(experiment.data_options.tokenizer.type) + ")"});
  Scores scores;
  fill_table(experiment, status, scores, report.table);
  for (const auto& check : recipe.checks) {
    report.checks.push_back(
        judge({check.id, check.says, check.expr, check.scale == CheckScale::kAbsolute},
              experiment.recipe.profile, scores));
  }
  for (const auto& each : recipe.substitutions) {
    report.substitutions.push_back({each.what, each.paper, each.here, each.reason});
  }
  if (paper) {
    const auto cuts = profile_cuts(experiment, *paper);
    report.substitutions.insert(report.substitutions.end(), cuts.begin(), cuts.end());
  }
  const std::vector<TrainingLog> logs = read_training_logs(experiment, status, registries);
  report.curves = curves_of(logs);
  add_training_facts(experiment, logs, report);
  const NodeStatus& source = status.at(experiment.data.source);
  std::vector<std::string> test;
  if (source.state == NodeState::kFinished) test = read_split(source.folder, "test");
  report.figures = figures_of(experiment, status, test);
  add_texts(experiment, status, test, report);
  add_data(experiment, status, report);
  add_schedules(experiment, status, registries, report);
  if (auto health = health_of(logs); !health.rows.empty()) report.data_counts.push_back(health);
  return report;
}

}  // namespace lvtext
