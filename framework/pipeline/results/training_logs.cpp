#include "framework/pipeline/results/training_logs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/store/finished_data.h"

namespace lvtext {
namespace {

using Json = nlohmann::json;

/// From this ratio on, a linear axis only shows the largest values.
constexpr double kDecadesForLog = 3;
/// A validation objective that fell by this share since the previous validation is still falling.
constexpr double kFalling = 0.01;

void add_point(Plot& plot, const TrainingLog& log, double x, double y) {
  if (plot.series.empty() || plot.series.back().label != log.label) {
    plot.series.push_back({.label = log.label, .x = {}, .y = {}, .color = log.color});
  }
  plot.series.back().x.push_back(x);
  plot.series.back().y.push_back(y);
}

/// Uses a logarithmic axis if all values are positive and span decades (a collapsing KL).
void choose_scale(Plot& plot) {
  double lo = std::numeric_limits<double>::infinity(), hi = 0;
  for (const Series& series : plot.series) {
    for (const double y : series.y) {
      if (!std::isfinite(y)) continue;
      lo = std::min(lo, y);
      hi = std::max(hi, y);
    }
  }
  plot.log_y = lo > 0 && hi > 0 && std::log10(hi / lo) >= kDecadesForLog;
  if (plot.log_y) plot.y_label += " (logarithmic)";
}

/// Unit of the terms of a validation: "per sentence".
std::string objective_unit(const TrainingLog& log, const Json& validation) {
  std::set<std::string> units;
  const Json terms = validation.value("terms", Json::object());
  for (const auto& [term, value] : terms.items()) {
    const auto found = log.units.find(term);
    if (found != log.units.end()) units.insert(found->second);
  }
  return units.size() > 1 ? "mixed units" : join({units.begin(), units.end()});
}

Plot plot_of(const std::string& title, const std::string& what, const std::string& unit) {
  return {.title = title + (unit.empty() ? "" : ", " + unit),
          .x_label = "updates",
          .y_label = what + (unit.empty() ? "" : " " + unit)};
}

/// The objective of each validation, NaN where it is not a number.
std::vector<double> objectives_of(const TrainingLog& log) {
  std::vector<double> objectives;
  for (const Json& line : log.lines) {
    const auto found = line.find("validation");
    if (found == line.end()) continue;
    const Json& objective = found->at("objective");
    objectives.push_back(objective.is_number() ? objective.get<double>() : std::nan(""));
  }
  return objectives;
}

/// By which share the objective fell from the last validation but one to the last, if that is the
/// best and the share at least kFalling.
std::optional<double> last_fall(const std::vector<double>& objectives) {
  if (objectives.size() < 2) return std::nullopt;
  const double last = objectives.back(), before = objectives[objectives.size() - 2];
  for (const double each : objectives) {
    if (!(last <= each)) return std::nullopt;
  }
  const double fall = (before - last) / std::abs(before);
  return std::isfinite(fall) && fall >= kFalling ? std::optional(fall) : std::nullopt;
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

/// True if a period of `stop` ended the training, not a condition.
bool stops_at_length(const StopRule& stop, const std::string& stopped_by) {
  return std::any_of(stop.any.begin(), stop.any.end(),
                     [&](const Period& period) { return period.text() == stopped_by; });
}

/// Reads the log of a finished training.
TrainingLog read_log(const FinishedRun& run, const std::string& label, int64_t seed) {
  const Json train = run.manifest().at("options").at("train");
  const auto& metadata = run.metadata();
  TrainingLog log{label,
                  seed,
                  /*stands_for_row=*/false,
                  train.at("device").get<std::string>(),
                  train.at("precision").get<std::string>(),
                  {},
                  {}};
  log.steps = metadata.value("steps", int64_t{0});
  log.skipped = metadata.value("skipped_steps", int64_t{0});
  log.undefined_validations = metadata.value("undefined_validations", int64_t{0});
  for (const auto& line : read_written_lines(run, kLogFile)) log.lines.push_back(Json::parse(line));
  return log;
}

}  // namespace

std::vector<TrainingLog> read_training_logs(const Experiment& experiment,
                                            const GraphStatus& status) {
  std::vector<TrainingLog> logs;
  for (size_t color = 0; color < experiment.rows.size(); ++color) {
    const ExperimentRow& row = experiment.rows[color];
    for (const auto& [seed, node] : row.trained) {
      const NodeStatus& entry = status.at(node);
      if (!row.is_trained() || entry.state != NodeState::kFinished) continue;
      const FinishedRun run(entry.folder);
      TrainingLog log = read_log(run, row.label, experiment.graph.at(node).seed);
      log.row = row.id;
      log.color = color;
      log.stands_for_row = node == row.trained.begin()->second;
      const CheckedEntry& checked = *row.checked.entry;
      log.has_own_seed = checked.keeps_seed();
      const StopRule& stop = checked.train.stop;
      log.stop = stop;
      log.stopped_at_length = stops_at_length(stop, run.metadata().value("stopped_by", ""));
      if (log.stands_for_row) log.units = run.metadata().value("terms", decltype(log.units)());
      logs.push_back(std::move(log));
    }
  }
  return logs;
}

std::string trained_for(const std::vector<TrainingLog>& logs) {
  std::set<std::string> ended_early;  // rows
  for (const TrainingLog& log : logs) {
    if (!log.stopped_at_length) ended_early.insert(log.row);
  }
  std::set<std::string> lengths;
  for (const TrainingLog& log : logs) {
    lengths.insert((ended_early.contains(log.row) ? "at most " : "") + length_text(log.stop));
  }
  return join({lengths.begin(), lengths.end()}, "; ");
}

std::vector<TrainingLog> damaged_judges(const Experiment& experiment, const GraphStatus& status) {
  std::set<std::string> of_rows;
  for (const ExperimentRow& row : experiment.rows) {
    for (const auto& [seed, node] : row.trained) of_rows.insert(node);
  }
  std::vector<TrainingLog> logs;
  for (const GraphNode& node : experiment.graph.nodes()) {
    const NodeStatus& entry = status.at(node.name);
    if (node.kind != NodeKind::kTrain || of_rows.contains(node.name)) continue;
    if (entry.state != NodeState::kFinished) continue;
    const FinishedRun run(entry.folder);
    const auto& metadata = run.metadata();
    if (!metadata.contains("skipped_steps") && !metadata.contains("undefined_validations")) {
      continue;
    }
    logs.push_back(read_log(run, node.name, node.seed));
  }
  return logs;
}

std::vector<Plot> curves_of(const std::vector<TrainingLog>& logs) {
  std::map<std::string, Plot> objectives, terms;  // by unit; by name and unit
  for (const TrainingLog& log : logs) {
    if (!log.stands_for_row) continue;
    for (const Json& line : log.lines) {
      const double step = line.at("step").get<double>();
      if (const auto found = line.find("validation"); found != line.end()) {
        const auto& objective = found->at("objective");
        if (objective.is_number()) {
          const std::string unit = objective_unit(log, *found);
          Plot& plot =
              objectives.try_emplace(unit, plot_of("Validation objective", "objective", unit))
                  .first->second;
          add_point(plot, log, step, objective.get<double>());
        }
      }
      const auto train = line.find("train");
      if (train == line.end()) continue;
      for (const auto& [name, value] : train->items()) {
        const std::string term = name.substr(name.find('/') + 1);
        if (!value.is_number() || term.starts_with("gradient_norm")) continue;
        const auto known = log.units.find(name);
        const std::string unit = known == log.units.end() ? "" : known->second;
        Plot& plot = terms.try_emplace(term + " " + unit, plot_of("Training: " + term, term, unit))
                         .first->second;
        add_point(plot, log, step, value.get<double>());
      }
    }
  }
  std::vector<Plot> plots;
  for (auto* group : {&objectives, &terms}) {
    for (auto& [key, plot] : *group) {
      choose_scale(plot);
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

TextTable health_of(const std::vector<TrainingLog>& logs) {
  TextTable health{"Training health",
                   "means over the last logging period, and the warnings at the end; a step is "
                   "skipped if a loss or gradient is not finite",
                   {"row", "seed", "updates", "skipped", "values", "warnings"},
                   {}};
  for (const TrainingLog& log : logs) {
    const auto last = std::find_if(log.lines.rbegin(), log.lines.rend(),
                                   [](const Json& line) { return line.contains("train"); });
    std::vector<std::string> shown, said;
    const Json train = last == log.lines.rend() ? Json::object() : last->at("train");
    for (const auto& [name, value] : train.items()) {
      if (name.find("/gradient_norm") != std::string::npos) continue;
      // A number that is not finite is written as text.
      shown.push_back(
          name + " " +
          (value.is_number() ? fixed(value.get<double>(), 3) : value.get<std::string>()));
    }
    if (last != log.lines.rend()) {
      for (const auto& warning : last->value("warnings", Json::array())) {
        said.push_back(warning.at("text").get<std::string>());
      }
    }
    health.rows.push_back({log.label, std::to_string(log.seed), format_count(log.steps),
                           format_count(log.skipped), join(shown), join(said, "; ")});
  }
  return health;
}

namespace {

/// "29 of 30 steps were skipped, 2 of 3 validations are undefined"; empty: neither.
std::string damage_of(const TrainingLog& log) {
  std::vector<std::string> parts;
  if (log.skipped > 0) {
    parts.push_back(format_count(log.skipped) + " of " + format_count(log.steps) +
                    " steps were skipped");
  }
  if (log.undefined_validations > 0) {
    parts.push_back(format_count(log.undefined_validations) + " of " +
                    format_count(std::ssize(objectives_of(log))) + " validations are undefined");
  }
  return join(parts);
}

}  // namespace

std::string row_warning(const std::vector<TrainingLog>& logs, const std::string& row) {
  std::vector<std::string> parts;
  for (const TrainingLog& log : logs) {
    if (log.row != row) continue;
    const std::string damage = damage_of(log);
    if (!damage.empty()) parts.push_back("seed " + std::to_string(log.seed) + ": " + damage);
  }
  return join(parts, "; ");
}

std::vector<std::string> training_warnings(const std::vector<TrainingLog>& logs, bool lengths) {
  std::vector<std::string> warnings;
  // By length of the training as written, and number of updates.
  std::map<std::pair<std::string, int64_t>, std::vector<std::string>> falling, unknown;
  for (const TrainingLog& log : logs) {
    const std::string damage = damage_of(log);
    if (!damage.empty()) {
      warnings.push_back(log.label + ", seed " + std::to_string(log.seed) + ": " + damage +
                         ", because a loss or gradient was not finite: the training diverged");
    }
    if (!lengths || !log.stands_for_row || !log.stopped_at_length) continue;
    const std::vector<double> objectives = objectives_of(log);
    if (objectives.size() == 1 && log.steps > 0)
      unknown[{log.stop.text(), log.steps}].push_back(log.label);
    if (const auto fall = last_fall(objectives)) {
      falling[{log.stop.text(), log.steps}].push_back(log.label + " by " +
                                                      significant(100 * *fall, 3) + " %");
    }
  }
  for (const auto& [length, rows] : falling) {
    warnings.push_back("after " + format_count(length.second, "update") +
                       ", validation was still falling (" + join(rows, "; ") +
                       " since the validation before): raise train.stop, now " + length.first);
  }
  for (const auto& [length, rows] : unknown) {
    warnings.push_back(
        format_count(length.second, "update") + " with one validation (" + join(rows, "; ") +
        "), which does not show whether it was still falling: raise train.stop, now " +
        length.first + ", or lower train.validate_every");
  }
  return warnings;
}

}  // namespace lvtext
