#include "framework/pipeline/experiment/training_logs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

using Json = nlohmann::json;

/// From this ratio on, a linear axis only shows the largest values.
constexpr double kDecadesForLog = 3;

void add_point(Plot& plot, const std::string& label, double x, double y) {
  if (plot.series.empty() || plot.series.back().label != label)
    plot.series.push_back({label, {}, {}});
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

}  // namespace

std::vector<TrainingLog> read_training_logs(const Experiment& experiment,
                                            const GraphStatus& status) {
  std::vector<TrainingLog> logs;
  for (const auto& row : experiment.rows) {
    for (const auto& [seed, node] : row.trained) {
      const NodeStatus& entry = status.at(node);
      if (!row.is_trained() || entry.state != NodeState::kFinished) continue;
      const FinishedRun run(entry.folder);
      const Json train = run.manifest().at("options").at("train");
      TrainingLog log{row.label,
                      seed,
                      node == row.trained.begin()->second,
                      train.at("device").get<std::string>(),
                      train.at("precision").get<std::string>(),
                      {},
                      {}};
      if (log.stands_for_row) log.units = run.metadata().value("terms", decltype(log.units)());
      for (const auto& line : read_written_lines(run, kLogFile)) {
        log.lines.push_back(Json::parse(line));
      }
      logs.push_back(std::move(log));
    }
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
          add_point(plot, log.label, step, objective.get<double>());
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
        add_point(plot, log.label, step, value.get<double>());
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
                   "means over the last logging period, and the warnings at the end",
                   {"row", "seed", "values", "warnings"},
                   {}};
  for (const TrainingLog& log : logs) {
    const auto last = std::find_if(log.lines.rbegin(), log.lines.rend(),
                                   [](const Json& line) { return line.contains("train"); });
    if (last == log.lines.rend()) continue;  // shorter than a logging period
    std::vector<std::string> shown, said;
    for (const auto& [name, value] : last->at("train").items()) {
      if (!value.is_number() || name.find("/gradient_norm") != std::string::npos) continue;
      shown.push_back(name + " " + fixed(value.get<double>(), 3));
    }
    for (const auto& warning : last->value("warnings", Json::array())) {
      said.push_back(warning.at("text").get<std::string>());
    }
    if (shown.empty()) continue;
    health.rows.push_back({log.label, std::to_string(log.seed), join(shown), join(said, "; ")});
  }
  return health;
}

}  // namespace lvtext
