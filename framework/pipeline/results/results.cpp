#include "framework/pipeline/results/results.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/pipeline/plan/schedules.h"
#include "framework/pipeline/results/data_tables.h"
#include "framework/pipeline/results/filled_table.h"
#include "framework/pipeline/results/profile_cuts.h"
#include "framework/pipeline/results/report_figures.h"
#include "framework/pipeline/results/training_logs.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/node_parts.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

void add_texts(const Experiment& experiment, const GraphStatus& status, ReportData& report) {
  constexpr size_t kShown = 8;
  TextTable samples{"Samples", "the first samples of each row, not selected", {"row", "text"}, {}};
  samples.side_by_side = SideBySide{.label = 0, .keys = {}};
  ReconstructedTexts sources(experiment, status);
  TextTable back{"Reconstructions", "of the first test sentences", {"row", "source", "text"}, {}};
  back.side_by_side = SideBySide{.label = 0, .keys = {1}};
  auto first_lines = [&status](const SeedNodes& nodes) {
    std::vector<std::string> lines;
    if (nodes.empty() || status.at(nodes.begin()->second).state != NodeState::kFinished) {
      return lines;
    }
    lines = read_text(status.at(nodes.begin()->second).folder);
    if (lines.size() > kShown) lines.resize(kShown);
    return lines;
  };
  for (const auto& row : experiment.rows) {
    for (const auto& text : first_lines(row.samples)) samples.rows.push_back({row.label, text});
    const auto texts = first_lines(row.reconstructions);
    if (texts.empty()) continue;
    const std::vector<std::string>& source = sources.of(row);
    for (size_t i = 0; i < texts.size() && i < source.size(); ++i) {
      back.rows.push_back({row.label, source[i], texts[i]});
    }
  }
  if (!samples.rows.empty()) report.samples.push_back(samples);
  if (!back.rows.empty()) report.samples.push_back(back);
  for (auto& table : latent_tables(experiment, status, sources)) report.samples.push_back(table);
}

/// Summary of the training: length, seeds, and data.
void add_training_metadata(const std::vector<TrainingLog>& logs, ReportData& report) {
  if (logs.empty()) return;
  report.metadata.push_back({"trained for", trained_for(logs)});
  std::set<int64_t> seeds;
  std::set<std::string> devices;
  for (const TrainingLog& log : logs) {
    if (!log.has_own_seed) seeds.insert(log.seed);
    devices.insert(log.device + ", " + log.precision);
  }
  std::vector<std::string> numbers;
  for (const int64_t seed : seeds) numbers.push_back(std::to_string(seed));
  report.metadata.push_back({"device", join({devices.begin(), devices.end()}, "; ")});
  if (!numbers.empty()) {
    report.metadata.push_back({numbers.size() == 1 ? "seed" : "seeds", join(numbers)});
  }
}

void add_schedules(const Experiment& experiment, const GraphStatus& status, ReportData& report) {
  TextTable table{"Schedules",
                  "written for train.schedule_length updates, scaled to the updates of each run",
                  {"row", "option", "written, updates", "ours, updates"},
                  {}};
  for (const auto& option : scaled_options(experiment, status)) {
    table.rows.push_back(
        {option.row, option.path, format_number(option.written), fixed(option.scaled, 1)});
  }
  if (!table.rows.empty()) report.data_counts.push_back(table);
}

/// How the sentences of a node were decoded.
std::string decoding_of(const nlohmann::json& options, const nlohmann::ordered_json& metadata) {
  std::string decoding = metadata.value("policy", "greedy");
  if (const auto policy = options.value("policy", ""); !policy.empty()) decoding = policy;
  if (const auto beam = options.find("beam"); beam != options.end() && beam->is_object()) {
    decoding = "beam search, width " + beam->at("width").dump();
  }
  if (options.contains("precision")) decoding += ", " + options.at("precision").get<std::string>();
  return decoding;
}

/// How texts were generated, and how many sentences were truncated at the maximum length.
void add_generated(const Experiment& experiment, const GraphStatus& status, ReportData& report) {
  TextTable table{
      "Generated text",
      "first seed and last checkpoint of each row; a sentence without EOS is truncated",
      {"row", "text", "sentences", "decoding", "max_length, tokens", "truncated", "empty"},
      {}};
  for (const auto& row : experiment.rows) {
    for (const auto& [text, name] : row.generated) {
      if (status.at(name).state != NodeState::kFinished) continue;
      const GraphNode& node = experiment.graph.at(name);
      std::filesystem::path folder = status.at(name).folder;
      if (!node.checkpoints.empty()) {
        folder = part_folder(folder, kept_steps(folder, node.checkpoints).back());
      }
      const auto metadata = FinishedRun(folder).metadata();
      if (!metadata.contains("cut_off")) continue;
      const auto lines = read_text(folder);
      const auto empty = std::count_if(lines.begin(), lines.end(),
                                       [](const auto& each) { return is_blank(each); });
      table.rows.push_back({row.label, text, metadata.at("count").dump(),
                            decoding_of(node.options, metadata),
                            node.options.at("max_length").dump(), metadata.at("cut_off").dump(),
                            std::to_string(empty)});
    }
  }
  if (!table.rows.empty()) report.data_counts.push_back(table);
}

/// Sentences that trainings left out, and the texts that selected the weights of models that score.
void add_limits(const Experiment& experiment, const GraphStatus& status, ReportData& report) {
  std::map<std::string, std::vector<std::string>> rows_by_text;
  for (const auto& row : experiment.rows) {
    if (!row.is_trained()) continue;
    const auto longest = row.checked.entry->train.max_length;
    const auto metadata = metadata_of(status, row.trained.begin()->second);
    if (!metadata.is_object()) continue;
    const auto add = [&](const char* count, const std::string& reason) {
      rows_by_text[format_count(metadata.value(count, int64_t{0}), "sentence") + " " + reason]
          .push_back(row.label);
    };
    if (longest) add("too_long", "of more than " + format_count(*longest, "token"));
    if (metadata.contains("without_tokens")) add("without_tokens", "without a token");
  }
  for (const auto& [text, rows] : rows_by_text) {
    const bool most = 2 * rows.size() > experiment.rows.size();
    report.metadata.push_back({"not trained on", text + (most ? "" : " (" + join(rows) + ")")});
  }
  for (const auto& metric : experiment.metrics) {
    for (const auto& [input, text] : metric.selected_on) {
      std::string name = input;
      std::replace(name.begin(), name.end(), '_', ' ');
      report.metadata.push_back({name + " of " + metric.id, "weights selected on " + text});
    }
  }
}

/// The step of the kept checkpoint that a cell shows; empty: none was selected.
std::string checkpoint_of(const TableScores& scores, const std::string& line,
                          const std::string& column, std::optional<int64_t> seed) {
  const auto* of_cell = find_at(scores.steps, line, column);
  if (!of_cell) return "";
  const auto step = of_cell->find(seed);
  return step == of_cell->end() ? "" : std::to_string(step->second);
}

std::vector<TableMember> members_of(const Table& table, const TableScores& scores) {
  std::vector<TableMember> members;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& line = table.rows[r].id;
      const std::string& column = table.columns[c].id;
      const CellScores* cell = find_at(scores.cells, line, column);
      const std::string& reason = table.cells[r][c].reason;
      for (const auto& [seed, score] : cell ? *cell : CellScores()) {
        members.push_back({line, column, seed ? std::to_string(*seed) : "",
                           checkpoint_of(scores, line, column, seed), score.value, ""});
      }
      for (const TableScores::Dropped& dropped : scores.dropped) {
        if (dropped.line != line) continue;
        members.push_back({line, column, dropped.seed ? std::to_string(*dropped.seed) : "", "",
                           std::nullopt, dropped.reason});
      }
      const std::string why = reason.empty() ? table.rows[r].reason : reason;
      if (!why.empty()) members.push_back({line, column, "", "", std::nullopt, why});
    }
  }
  return members;
}

/// Notes on rows that were left out of scores of several rows.
void add_left_out(const Experiment& experiment, const CheckedTable& table,
                  std::vector<std::string>& notes) {
  for (const ExperimentMetric& metric : experiment.metrics) {
    const bool is_shown =
        std::any_of(table.columns.begin(), table.columns.end(), [&](const TableColumn& column) {
          return std::any_of(table.lines.begin(), table.lines.end(), [&](const TableLine& line) {
            return metric_of(line, column) == metric.id;
          });
        });
    if (!is_shown) continue;
    for (const auto& [row, reason] : metric.left_out) {
      notes.push_back(metric.id + " is computed without " + row + ": " + reason);
    }
  }
}

/// What a metric measures, by its evaluator's description and the help of the score (empty: the
/// one that tables show). Empty if there is no such metric.
std::string definition_of(const Experiment& experiment, const Registries& registries,
                          const std::string& metric, const std::string& score) {
  const ExperimentMetric* found = find_entry(experiment.metrics, metric);
  if (!found) return "";
  const Component& evaluator = registries.evaluators.get(found->evaluator);
  const std::string help = evaluator.score_help(score.empty() ? found->score : score);
  return evaluator.about.description + (help.empty() ? "" : ": " + help);
}

/// Adds what is measured to all scores of all metrics.
void define_scores(const Experiment& experiment, const Registries& registries,
                   std::vector<SideTable>& all) {
  for (SideTable& each : all) {
    const ExperimentMetric& metric = *find_entry(experiment.metrics, each.title);
    const Component& evaluator = registries.evaluators.get(metric.evaluator);
    each.note = evaluator.about.description;
    for (Column& column : each.table.columns) column.definition = evaluator.score_help(column.id);
  }
}

/// What each column of a table shows.
void define_columns(const Experiment& experiment, const Registries& registries,
                    const CheckedTable& checked, Table& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = checked.columns[c];
    std::string& definition = table.columns[c].definition;
    if (column.shows_selection) {
      definition = "the selected row or checkpoint";
      continue;
    }
    for (const TableLine& line : checked.lines) {
      definition = definition_of(experiment, registries, metric_of(line, column), column.score);
      if (!definition.empty()) break;
    }
  }
}

std::vector<ReportTable> tables_of(const Experiment& experiment, const FinishedScores& finished,
                                   const Registries& registries) {
  std::vector<ReportTable> tables;
  std::map<std::string, TableScores> scores;
  for (const CheckedTable& checked : experiment.tables) {
    TableScores& own = scores[checked.id];
    ReportTable table{.id = file_name_of(checked.id), .item = checked.options.item};
    table.table = fill_table(experiment, finished, checked, own);
    define_columns(experiment, registries, checked, table.table);
    table.members = members_of(table.table, own);
    table.is_transposed = checked.options.transpose;
    for (const TableScores::Dropped& dropped : own.dropped) {
      table.notes.push_back(dropped.line + ", seed " +
                            (dropped.seed ? std::to_string(*dropped.seed) : "none") + " " +
                            dropped.reason);
    }
    for (std::string& note : own.merged_notes()) table.notes.push_back(std::move(note));
    add_left_out(experiment, checked, table.notes);
    if (table.item.empty() && !tables.empty()) table.item = checked.id;
    own.others = &scores;
    tables.push_back(std::move(table));
  }
  for (size_t i = 0; i < tables.size(); ++i) {
    const CheckedTable& checked = experiment.tables[i];
    for (const auto& check : checked.options.checks) {
      tables[i].checks.push_back(judge(
          {check.id, check.claim, check.expr, check.scale == CheckScale::kAbsolute, check.guard},
          experiment.recipe.profile, scores.at(checked.id)));
    }
  }
  return tables;
}

/// Adds what went wrong in the trainings of its rows to each line.
void warn_of_rows(const Experiment& experiment, const std::vector<TrainingLog>& logs,
                  std::vector<ReportTable>& tables) {
  for (size_t i = 0; i < tables.size(); ++i) {
    for (size_t line = 0; line < tables[i].table.rows.size(); ++line) {
      std::set<std::string> rows;
      for (const auto& [block, row] : experiment.tables[i].lines[line].rows) rows.insert(row);
      std::vector<std::string> parts;
      for (const std::string& row : rows) {
        const std::string warning = row_warning(logs, row);
        if (!warning.empty()) parts.push_back((rows.size() > 1 ? row + ", " : "") + warning);
      }
      tables[i].table.rows[line].note = join(parts, "; ");
    }
  }
}

/// Trainings that failed, with their reasons: the cells that need them only name the training.
std::vector<std::string> failed_trainings(const Experiment& experiment, const GraphStatus& status) {
  std::vector<std::string> failures;
  for (const GraphNode& node : experiment.graph.nodes()) {
    const auto failed = [&](const std::string& name) {
      return status.at(name).state == NodeState::kFailed;
    };
    if (node.kind != NodeKind::kTrain || !failed(node.name)) continue;
    if (std::any_of(node.inputs.begin(), node.inputs.end(),
                    [&](const auto& input) { return failed(input.second); })) {
      continue;
    }
    failures.push_back(node.name + " failed: " + failure_of(status, node.name));
  }
  return failures;
}

ReportData collect(const Experiment& experiment, const Experiment* paper, const GraphStatus& status,
                   const Registries& registries, const std::string& version) {
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
  add_data_metadata(experiment, report);
  const FinishedScores finished = read_finished_scores(experiment, status);
  report.tables = tables_of(experiment, finished, registries);
  report.scores = all_scores(experiment, finished);
  report.checkpoint_scores = checkpoint_scores(experiment, finished);
  define_scores(experiment, registries, report.scores);
  for (const auto& each : recipe.substitutions) {
    report.substitutions.push_back({each.what, each.paper, each.ours, each.reason});
  }
  if (paper) {
    const auto cuts = profile_cuts(experiment, *paper);
    report.substitutions.insert(report.substitutions.end(), cuts.begin(), cuts.end());
  }
  const std::vector<TrainingLog> logs = read_training_logs(experiment, status);
  report.curves = curves_of(logs);
  report.warnings = failed_trainings(experiment, status);
  for (auto& warning : training_warnings(damaged_judges(experiment, status), /*lengths=*/false)) {
    report.warnings.push_back(std::move(warning));
  }
  for (auto& warning : training_warnings(logs, experiment.recipe.profile != "smoke")) {
    report.warnings.push_back(std::move(warning));
  }
  warn_of_rows(experiment, logs, report.tables);
  add_training_metadata(logs, report);
  add_limits(experiment, status, report);
  report.figures = figures_of(experiment, finished, status, registries);
  add_texts(experiment, status, report);
  add_data(experiment, status, report);
  add_entropy(experiment, report);
  add_generated(experiment, status, report);
  add_schedules(experiment, status, report);
  if (auto health = health_of(logs); !health.rows.empty()) report.data_counts.push_back(health);
  return report;
}

}  // namespace

ReportData collect_results(const Experiment& experiment, const Experiment* paper,
                           GraphStatus& status, const Registries& registries,
                           const std::string& version) {
  for (;;) {
    try {
      return collect(experiment, paper, status, registries, version);
    } catch (const DamagedRun& damage) {
      // Terminates: each pass has one finished node fewer.
      if (!fail_damaged(status, damage)) throw;
    }
  }
}

}  // namespace lvtext
